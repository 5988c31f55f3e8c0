"""The file layer: every byte that is read or written on disk goes through here, so that a test can fail any of it."""
