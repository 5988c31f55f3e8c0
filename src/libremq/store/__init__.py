"""Data abstraction and persistence: message chains, space map, buffers, queue files."""
