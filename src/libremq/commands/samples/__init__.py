"""The sample programs: put, get, browse and request from a shell. `sample_program.py` is what they share."""
