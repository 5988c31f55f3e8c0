"""The planner: sizing questions as data, worked out by the models from a workload, a file or measured tables."""
