"""Units of work that others decide about: branches of transaction managers (XA), batches of message channels, moved
messages, and what is kept of channels that do not run.

What a unit of work is, and how it is undone, lies in `kernel.state`. May touch: verb_calls and what lies below it.
"""
