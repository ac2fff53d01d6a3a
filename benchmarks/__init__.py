"""Programs that measure; run them from a checkout: python -m benchmarks.<name>."""
