"""Who may do what: rules about authorities, channels and names, as pure functions.

Only `entities` looks outside: it asks the operating system and the users file who is in which group.
"""
