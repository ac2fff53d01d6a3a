"""Decides what a refresh has to do and does it exactly once; no SQL text, no dbt, no Spark."""
