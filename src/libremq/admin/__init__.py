"""Administration: one command model, and the syntaxes over it (MQSC, PCF, Python)."""
