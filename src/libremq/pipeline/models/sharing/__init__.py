"""Models of shared queues: structures of the coupling facility, requests to it, where large messages go."""
