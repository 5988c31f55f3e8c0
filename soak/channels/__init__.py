"""The soak of message channels: three queue managers in a row, real processes, and everything between them that breaks.

QM1, QM2 and QM3 run as processes of their own, in a network namespace each, or where that is not allowed on ports of
this machine with a proxy in every line. Applications put numbered messages that travel one or two hops, and the answers
to them travel back, while queue managers are killed and ended, links cut and channels stopped. Then all is mended, and
the books must add up: `python -m soak.channels`. docs/internals/soak.md explains it.
"""
