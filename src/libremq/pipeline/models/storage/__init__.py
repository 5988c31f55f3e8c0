"""Models of storage: buffer pools, page sets, indexes, address spaces, backup, restart and utilities."""
