"""Batches on channels: how large they may get, how large they will get, when they end, what that saves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from libremq.pipeline.models.arithmetic import Flag, Quantity, chosen, larger, ratio, rounded_up, smaller
from libremq.pipeline.models.registry import model

BATCHLIM_KB = 5000
SERIAL_FLOW_MS = 1000 / 1460
"""What one message with its reply took besides BATCHINT: 1460 a second with BATCHINT 0."""


@dataclass(frozen=True, slots=True)
class BatchPreset:
    """What to set for a kind of traffic [L4161-L4167]. R-72."""

    scenario: str
    batchsz: int
    batchint_ms: int
    npmspeed: str = "FAST"


BATCH_PRESETS = (
    BatchPreset("request and reply, tens a second or fewer, perhaps persistent, quick answer", 1, 0),
    BatchPreset("request and reply, low rate, non-persistent only", 50, 10000),
    BatchPreset("request and reply, low rate, perhaps persistent, 100 ms more are fine", 50, 100),
    BatchPreset("bulk transfer of a filled queue", 50, 0),
    BatchPreset("trickle, deferred, mostly persistent", 50, 5000),
)


@model("batching", "R-70", "L4058-L4067", "messages")
def batch_messages_max(
    batchsz_sender: Quantity,
    batchsz_receiver: Quantity,
    maxumsgs_sender: Quantity = 10000,
    maxumsgs_receiver: Quantity = 10000,
    zos_sender: Flag = True,
    zos_receiver: Flag = True,
) -> Any:
    """Which batch size do both ends agree on? On z/OS three messages of MAXUMSGS are kept back. [L4062] R-70."""
    unit_sender = larger(1, chosen(zos_sender, maxumsgs_sender - 3, maxumsgs_sender))
    unit_receiver = larger(1, chosen(zos_receiver, maxumsgs_receiver - 3, maxumsgs_receiver))
    return smaller(smaller(batchsz_sender, batchsz_receiver), smaller(unit_sender, unit_receiver))


@model("batching", "R-71", "L4044-L4056, L4177-L4179", "yes or no")
def batch_ends(
    messages: Quantity,
    sent_kb: Quantity,
    transmission_queue_empty: Flag,
    elapsed_ms: Quantity,
    batchsz: Quantity = 50,
    batchint_ms: Quantity = 0,
    batchlim_kb: Quantity = BATCHLIM_KB,
) -> Any:
    """Does the batch end now: full, over BATCHLIM, or nothing more to send after BATCHINT? [L4177] R-71."""
    return (messages >= batchsz) | (sent_kb >= batchlim_kb) | (transmission_queue_empty & (elapsed_ms > batchint_ms))


@model("batching", "R-81", "L4052-L4056", "messages")
def batch_messages_by_limit(message_bytes: Quantity, batchlim_kb: Quantity = BATCHLIM_KB) -> Any:
    """After how many messages of a size does BATCHLIM end the batch? [L4056] R-81."""
    return larger(1, rounded_up(batchlim_kb * 1024.0 / larger(message_bytes, 1)))


@model("batching", "R-77", "L4245, L4264-L4271", "messages", derived=True)
def batch_messages_expected(
    messages_per_second: Quantity, batchint_ms: Quantity, batchsz: Quantity = 50, preloaded: Flag = False
) -> Any:
    """Which batch size will be reached at a rate? A queue filled beforehand gives full batches. [L4267] R-77."""
    arriving = messages_per_second * batchint_ms / 1000.0
    return chosen(preloaded, batchsz, larger(1, smaller(batchsz, arriving)))


@model("batching", "R-72", "L4161-L4167, L4257", "messages")
def batchsz_for_message_bytes(message_bytes: Quantity, small: Quantity = 50) -> Any:
    """Which BATCHSZ suits the size of messages: fewer as they grow, one from 1 MB on? [L4167] R-72, R-78."""
    return chosen(message_bytes >= 1048576, 1, chosen(message_bytes > 100000, 10, small))


@model("batching", "R-72", "L4167", "us")
def batch_of_4_us_per_message(us_per_message_batch_1: Quantity) -> Any:
    """What does a message below 5000 bytes cost in batches of four, half of alone? [L4167] R-72."""
    return us_per_message_batch_1 * 0.5


@model("batching", "R-76", "L4249", "us")
def batch_of_50_us_per_message(us_per_message_batch_1: Quantity, saving: Quantity = 0.50) -> Any:
    """What does a non-persistent message cost in batches of fifty, given its cost alone? [L4249] R-76."""
    return us_per_message_batch_1 * (1 - saving)


@model("batching", "R-75", "L4244", "us")
def batchsz_1_us_min(receive_and_reply_us: Quantity, saving: Quantity = 0.20) -> Any:
    """What is left at least of the cost of small messages when BATCHSZ is 1, as batches are anyway? [L4244] R-75."""
    return receive_and_reply_us * (1 - saving)


@model("batching", "R-80", "L4887-L4890", "messages/s", derived=True)
def serial_messages_per_second_max(batchint_ms: Quantity, flow_ms: Quantity = SERIAL_FLOW_MS) -> Any:
    """What can one requester that waits for each reply send, when each batch stays open for BATCHINT? [L4889] R-80."""
    return ratio(1000.0, batchint_ms + flow_ms)
