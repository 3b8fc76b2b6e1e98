"""Speed and validity, measured: ``python -m benchmarks.run`` and ``python -m benchmarks.validity``."""
