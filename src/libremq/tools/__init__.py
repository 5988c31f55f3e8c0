"""Programs on top of the Python API: dead-letter handler, trigger monitor, dumps of configuration, copies of messages,
route tracing. Each is used by a command; all of it works over every binding.

May touch: the client. Nothing of the kernel but its tables.
"""
