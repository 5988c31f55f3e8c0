"""The channel protocol: bytes in, segments out, and back; no sockets."""
