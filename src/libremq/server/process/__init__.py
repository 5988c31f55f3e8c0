"""The processes of a served queue manager: the controller, the queue manager itself, its services, and the socket over
which commands talk to it.
"""
