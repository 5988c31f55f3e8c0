"""Connections that outlive their socket: what is written down, what is made again, what the application hears."""
