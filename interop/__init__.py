"""Interoperability: client packages that other people wrote, unmodified, against a queue manager of ours.

`make interop` installs ibmmq and pymqi at fixed versions, takes ibmmq's own tests and examples from its source archive,
starts a queue manager with the developer configuration, runs everything in processes of its own, and prints what
passed, what failed and why, and what waits for a part that LibreMQ does not have yet. Nothing of theirs is kept here.
"""
