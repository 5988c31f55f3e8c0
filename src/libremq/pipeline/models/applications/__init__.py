"""Models of applications: gets that look, servers, bridges, dynamic queues, and what tracing them costs."""
