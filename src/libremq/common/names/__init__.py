"""Names: of objects, of this host, of the sockets of a queue manager."""
