"""Files, clock, names, error log: the only place that touches disk and time."""
