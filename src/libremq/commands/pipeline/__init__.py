"""`libremq pipeline` and `libremq plan`: the only commands that need Spark, which is loaded when they run."""
