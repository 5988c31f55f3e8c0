"""Files brought up to the log, and everything back from it: checkpoints, restart, media recovery, room in log and disk.

`replay` has the table that says what each log record means; restart, media recovery and backups use it. May touch:
authority, events, messages, state, objects; log and store.
"""
