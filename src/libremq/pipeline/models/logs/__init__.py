"""Models of the log: volume, sizing, devices, latency, checkpoints, encryption, and links that make writes faster."""
