"""The command `lazyview`: what is stale, why, and whether it is right, beside dbt."""
