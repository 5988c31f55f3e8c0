"""The questions themselves, by subject: tables to read and to change, no code."""
