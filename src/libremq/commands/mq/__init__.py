"""The control commands: one module each, named as the command is, with MQ's flags and exit codes."""
