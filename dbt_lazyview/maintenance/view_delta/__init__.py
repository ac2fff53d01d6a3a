"""View deltas: what a refresh did to a view, kept in a table of its own and applied to the state later (B)."""
