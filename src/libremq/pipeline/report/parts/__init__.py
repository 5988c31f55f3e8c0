"""The parts of a report, one a module: each reads few tables with few jobs and gives a section or says what lacks."""
