"""`make demo`: the main jobs, shown one after the other, each with a proof of what it claims."""
