"""What several control commands share, or one has too much of for its module: no command of its own is in here."""
