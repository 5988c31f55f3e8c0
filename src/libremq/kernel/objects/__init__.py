"""What objects are: attribute and status tables, definitions, the catalogue, the system objects.

Tables first: an attribute is one row of `attribute_tables_*`, a field of a DISPLAY of status one row of
`status_tables_*`; checks, defaults, MQSC, PCF and MQINQ all read them. May touch: nothing of the kernel but itself.
No queue, no log, no clock.
"""
