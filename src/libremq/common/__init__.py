"""What every package may use: the file layer, the clock, qm.ini, names, AMQ messages, TLS, character sets, users.

Log, store and kernel touch disk and time through it alone, so that tests can fail any of it.
"""
