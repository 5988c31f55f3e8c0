"""The object authority manager: may this user do that, and the records by which it decides.

The rules themselves are pure and lie in `libremq.security`; what CHLAUTH decides about a connection is
`libremq.security.channel_authentication`. May touch: events (a refusal is one), messages, state, objects.
"""
