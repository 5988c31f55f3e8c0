"""What runs a kernel inside a process: how a queue manager is made, started, ended, deleted, backed up, and the
embedded binding with its lock, its clock thread and its checkpointer.

`server` and `client` both stand on it. May touch: the kernel, administration, and what lies below.
"""
