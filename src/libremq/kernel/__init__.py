"""The queue manager kernel: a state machine with no sockets, threads, wall clock or files of its own."""
