"""A queue manager in another process: the MQI over a socket, shared by several connections.

`remote_calls` and `remote_greeting` have no sockets: the asyncio API uses them too.
"""
