"""Message properties: names, types, message handles, MQRFH2, and the selectors that choose by them.

Pure functions on values and bytes. May touch: the MQI's structures, nothing else of the kernel.
"""
