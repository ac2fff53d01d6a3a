"""Stage lower: a qualified query becomes a tree of the algebra."""
