"""Sockets: the links of clients and of message channels, conversations, and the event loop between them and
the kernel. Replies are released here once the log is forced as far as they depend on it (`reply_release`).
"""
