"""Message channels: the agents that move messages between queue managers, and the initiator that starts them.

Nothing in this package opens a socket, sleeps or starts a thread: flows come in, segments go out by a `Transport`, and
time is told. A server brings sockets and the clock; a simulation brings others, and can cut and crash where it likes.

May touch: the queue manager, by its verbs (`kernel.manager`, `kernel.units.channel_batches`,
`kernel.verbs.channel_messages`) and its questions (`kernel.manager_questions`), and the bytes of `wire`. What may
happen when on a channel is in `agent_states`, which channels there are in `current_channels`.
"""
