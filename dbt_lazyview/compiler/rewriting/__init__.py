"""Stage rewrite: shorthand becomes the plain SQL it stands for."""
