"""A writer of SMF dumps and a seeded site that fills them: for tests, the demonstration and measurements of scale.

It shares the layout file with the reading side and no code, so each proves the other.
"""
