"""Compression on channels: what the dispatcher pays, what the network saves."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Quantity, Word, looked_up
from libremq.pipeline.models.registry import model

DISPATCHER_US = {"NONE": 5.0, "ZLIBFAST": 12.0, "ZLIBHIGH": 105.0}
"""CPU of the dispatcher for a request: 32 KB message, 40 percent compressible, z15, ZLIBFAST in hardware."""
HEADER_SAVED_BYTES = 300
HARDWARE_SAVING_MAX = 0.80


@model("compression", "T-16", "L3990-L3995", "us")
def compressing_dispatcher_us_per_request(compmsg: Word) -> Any:
    """What CPU does the dispatcher take for a 32 KB message with COMPMSG NONE, ZLIBFAST or ZLIBHIGH? [L3990] T-16."""
    return looked_up(compmsg, DISPATCHER_US)


@model("compression", "R-64", "L4088", "us")
def hardware_compression_us_min(software_us: Quantity, saving: Quantity = HARDWARE_SAVING_MAX) -> Any:
    """What is left at least of the cost of compression in software when hardware does it? [L4088] R-64."""
    return software_us * (1 - saving)


@model("compression", "R-64", "L4098", "bytes")
def compressed_bytes(message_bytes: Quantity, compressible_pct: Quantity) -> Any:
    """How many bytes of a message go over the network when so much of it compresses away? [L4098] R-64."""
    return message_bytes * (100 - compressible_pct) / 100.0


@model("compression", "R-64", "L4069-L4076", "bytes")
def header_compression_saved_bytes(messages: Quantity, saved_bytes: Quantity = HEADER_SAVED_BYTES) -> Any:
    """How many bytes does COMPHDR keep off the network? [L4076] R-64."""
    return messages * saved_bytes
