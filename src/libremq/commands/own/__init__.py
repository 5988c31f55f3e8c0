"""The words that only `libremq` has, without a counterpart in MQ: load, unload, log, tls, link-commands, completion."""
