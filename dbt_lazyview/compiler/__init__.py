"""SQL in, maintenance plan out: pure Python over sqlglot, without dbt and without Spark."""
