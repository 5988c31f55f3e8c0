"""The modules that client packages written for IBM MQ load: `pymqe` (for pymqi) and `ibmmqc` (for ibmmq).

Both packages are Python over a small C module that calls the MQI. Here that small module is written on the bindings
of LibreMQ, so the packages run as they are, over TCP, a local socket or an embedded queue manager. The two modules
differ in a few signatures; everything else is shared: `packed_structures`, `mqconn_calls`,
`shared_verbs`, `property_values`, `callbacks`.
"""
