"""What a running queue manager holds, and the few operations that change it together with the log.

`core` is the centre: queues, units of work, definitions; each of its operations leaves memory and log in step. Around
it what it is made of: connections and handles, queues, gets that wait, units of work and their undoing, and `journal`,
the payloads of all log records. May touch: objects and properties, the log and the store. Verbs, recovery and events
stand above; where a type of theirs is named here, it is for annotations only.
"""
