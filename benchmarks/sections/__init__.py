"""The sections of the benchmark; each measures points and prints them."""
