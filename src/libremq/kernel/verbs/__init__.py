"""The verbs: MQOPEN, MQPUT, MQGET, MQINQ, MQCB and the rest, and what follows from them (reports, triggers, expiry).

One module a verb or a consequence. May touch: everything of the kernel but the manager. Who calls them is
`kernel.manager`, through which all calls go.
"""
