"""Models of channels and the channel initiator: batches, tasks, storage, starting, TLS, compression, network."""
