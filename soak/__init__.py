"""The soak: a real queue manager under load, killed with SIGKILL again and again, and books that must add up.

A driver starts a worker process, lets it work for a moment and kills it. The worker keeps a ledger of what it was
told; the next worker lists what is there after the restart; the checker compares the two. Ledger and checker use
nothing of LibreMQ. docs/internals/soak.md explains it.
"""
