"""LibreMQ: an open queue manager in Python. Not affiliated with IBM."""
