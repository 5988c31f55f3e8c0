"""How applications reach a queue manager: connect(), queues, messages; and the raw verbs underneath."""
