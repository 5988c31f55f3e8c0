"""The plans, by subject."""
