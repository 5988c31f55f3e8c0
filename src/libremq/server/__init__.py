"""A queue manager that serves: its processes, listeners, connections and services."""
