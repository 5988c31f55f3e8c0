"""How long the name of a branch of a transaction may be: the same in the kernel, in its records and on the wire."""

XID_BYTES_MAX = 140  # format id, two lengths, global transaction id and branch qualifier of 64 bytes each
