"""What applications see: constants, structures, reason codes. No I/O."""
