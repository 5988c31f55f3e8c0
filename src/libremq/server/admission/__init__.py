"""Who comes in, and as whom: TLS, channel authentication, passwords.

The rules are pure and lie in `libremq.security`; here is what they need to know, and what follows.
"""
