"""Message channels: the agents that move messages between queue managers, and the initiator that starts them.

Nothing in this package opens a socket, sleeps or starts a thread: flows come in, segments go out by a `Transport`, and
time is told. A server brings sockets and the clock; a simulation brings others, and can cut and crash where it likes.
"""
