"""Rewrites that make a plan cheaper; each can be switched off, and every test passes either way."""
