"""Rules as data, the small language their conditions are written in, and the engine that evaluates them in Spark."""
