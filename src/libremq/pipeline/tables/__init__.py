"""Tables of the pipeline: raw (as recorded), conformed (by subject), marts (for reports)."""
