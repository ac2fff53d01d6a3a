"""One page about all lazy views of a project: a document of facts, and a template that shows it in any browser."""
