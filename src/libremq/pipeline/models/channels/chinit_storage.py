"""Storage of the channel initiator: tasks, channels below and above the bar, how many channels fit.

Footprints are KB a channel, KB of 1024 bytes. Versions are written as version, release and modification in one number
(9.4.0 is 940), as the SMF header has them.
"""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import (
    Quantity,
    chosen,
    interpolated,
    larger,
    ratio,
    rounded_down,
    rounded_up,
    smaller,
)
from libremq.pipeline.models.registry import model

STORAGE_GUIDE = 0.80
ADAPTER_KB = 150.0
DISPATCHER_KB = 102.0
SSL_TASK_KB = 1.45 * 1024
"""Since 9.3. An older page of the source has 1.3 MB for the same task."""
TLS_CHANNEL_KB = 30.0
CHANNELS_MAX = 9999
"""The largest MAXCHL."""
VRM_WITH_BUFFERS_ABOVE_BAR = 940
"""From 9.4 on the message buffers of client channels are above the bar."""
BASE_MB = 100.0
"""What a channel initiator held besides channels in the tests behind the channel counts (derived)."""
SVRCONN_HEADER_BYTES = 500
SVRCONN_BUFFERS_BYTES = tuple(kb * 1024 for kb in (4, 8, 16, 32, 64, 128, 256, 512, 1024))
SHARING_OVERHEAD = 1.1
SHARED_CONVERSATION_KB = 22.0
MEMLIMIT_MB_MIN = 2048.0
LARGE_FREE_BUFFERS = 5
"""Free buffers that the pool of buffers over 1 MB keeps."""

# By message KB [L3713-L3737].
MCA_KB = ((1.0, 90.0), (32.0, 100.0), (64.0, 109.0), (4096.0, 1127.0))
SVRCONN_UNSHARED_KB = ((1.0, 86.0), (32.0, 159.0), (64.0, 193.0))
SVRCONN_UNSHARED_94_KB = ((1.0, 86.0), (32.0, 93.0), (64.0, 93.0))
SVRCONN_ONE_KB = ((1.0, 168.0), (32.0, 245.0), (64.0, 277.0))
SVRCONN_ONE_94_KB = ((1.0, 164.0), (32.0, 201.0), (64.0, 203.0))
SVRCONN_TEN_KB = ((1.0, 223.0), (32.0, 312.0), (64.0, 346.0))
SVRCONN_TEN_94_KB = ((1.0, 219.0), (32.0, 265.0), (64.0, 267.0))


@model("chinit_storage", "R-40", "L3680, L3822-L3827", "percent")
def chinit_storage_used_pct(used_mb: Quantity, free_mb: Quantity) -> Any:
    """Which part of the storage is used, below or above the bar? [L3822] R-40, R-41.

    The guide is at most 80; from 75 on the scavenger works.
    """
    return ratio(100.0 * used_mb, used_mb + free_mb)


@model("chinit_storage", "R-40", "L3822-L3827", "MB")
def chinit_storage_guide_mb(used_mb: Quantity, free_mb: Quantity, guide: Quantity = STORAGE_GUIDE) -> Any:
    """How much of the storage should be used at most? [L3827] R-40."""
    return (used_mb + free_mb) * guide


@model("chinit_storage", "R-42", "L3688-L3692", "KB")
def chinit_task_kb(chiadaps: Quantity, chidisps: Quantity, ssltasks: Quantity = 0) -> Any:
    """How much storage do the adapter, dispatcher and SSL tasks take (9.3 and later)? [L3688] R-42."""
    return chiadaps * ADAPTER_KB + chidisps * DISPATCHER_KB + ssltasks * SSL_TASK_KB


@model("chinit_storage", "R-43", "L3713-L3723", "KB", derived=True)
def mca_channel_kb(message_kb: Quantity) -> Any:
    """How much storage does one message channel hold once it carried messages of that size? [L3713] R-43, T-10.

    Straight lines between the measured sizes.
    """
    return interpolated(message_kb, MCA_KB, level_below=True)


@model("chinit_storage", "R-43", "L3713-L3723", "KB", derived=True)
def mca_channels_kb(channels: Quantity, message_kb: Quantity) -> Any:
    """How much storage do message channels with that largest message hold together? [L3723] R-43."""
    return channels * mca_channel_kb(message_kb)


@model("chinit_storage", "R-44", "L3729-L3747", "KB", derived=True)
def svrconn_channel_kb(message_kb: Quantity, sharecnv: Quantity = 10, vrm: Quantity = 940) -> Any:
    """How much storage below the bar does one client channel hold? [L3731] R-44, T-11.

    Measured for SHARECNV 0, 1, and 10 with ten in use, which stands here for all above 1. Since 9.4 it is flat above
    32 KB; before, the last line goes on, which agrees with the channel counts of T-12.
    """
    unshared = chosen(
        vrm >= VRM_WITH_BUFFERS_ABOVE_BAR,
        interpolated(message_kb, SVRCONN_UNSHARED_94_KB, level_below=True, level_above=True),
        interpolated(message_kb, SVRCONN_UNSHARED_KB, level_below=True),
    )
    one = chosen(
        vrm >= VRM_WITH_BUFFERS_ABOVE_BAR,
        interpolated(message_kb, SVRCONN_ONE_94_KB, level_below=True, level_above=True),
        interpolated(message_kb, SVRCONN_ONE_KB, level_below=True),
    )
    ten = chosen(
        vrm >= VRM_WITH_BUFFERS_ABOVE_BAR,
        interpolated(message_kb, SVRCONN_TEN_94_KB, level_below=True, level_above=True),
        interpolated(message_kb, SVRCONN_TEN_KB, level_below=True),
    )
    return chosen(sharecnv <= 0, unshared, chosen(sharecnv <= 1, one, ten))


@model("chinit_storage", "R-45", "L3747", "KB")
def shared_svrconn_channel_kb(
    current_conversations: Quantity, conversation_kb: Quantity = SHARED_CONVERSATION_KB
) -> Any:
    """How much does a channel of SHARECNV 10 or more hold, by its conversations now, 1 KB messages? [L3747] R-45."""
    return current_conversations * conversation_kb


@model("chinit_storage", "R-47", "L3857, L4613", "KB")
def tls_channels_extra_kb(channels: Quantity, channel_kb: Quantity = TLS_CHANNEL_KB) -> Any:
    """How much more storage do TLS channels take, with messages up to 32 KB? [L3857] R-47."""
    return channels * channel_kb


@model("chinit_storage", "R-46", "L3749-L3753", "channels")
def channels_max(storage_mb: Quantity, channel_kb: Quantity, maxchl: Quantity = CHANNELS_MAX) -> Any:
    """How many channels of that footprint fit the private storage? [L3749] R-46."""
    return smaller(maxchl, rounded_down(ratio(storage_mb * 1024.0, channel_kb)))


@model("chinit_storage", "R-46", "L3753", "conversations")
def conversations_max(
    storage_mb: Quantity, channel_kb: Quantity, sharecnv: Quantity, maxchl: Quantity = CHANNELS_MAX
) -> Any:
    """How many client conversations fit, with so many on each channel? [L3753] R-46."""
    return channels_max(storage_mb, channel_kb, maxchl) * larger(sharecnv, 1)


@model("chinit_storage", "R-46", "L3751", "MB")
def channels_mb(channels: Quantity, channel_kb: Quantity) -> Any:
    """How much storage do channels of one footprint take? An MB is 1024 KB here. [L3751] R-46, R-TIER-3."""
    return channels * channel_kb / 1024.0


@model("chinit_storage", "R-53", "L3829-L3853", "channels", derived=True)
def channels_within_guide(
    storage_mb: Quantity,
    channel_kb: Quantity,
    guide: Quantity = STORAGE_GUIDE,
    base_mb: Quantity = BASE_MB,
    maxchl: Quantity = CHANNELS_MAX,
) -> Any:
    """How many channels fit below the storage guide, beside what the rest takes? [L3829] R-53, T-12."""
    room_kb = larger(storage_mb * guide - base_mb, 0) * 1024.0
    return smaller(maxchl, rounded_down(ratio(room_kb, channel_kb)))


@model("chinit_storage", "R-48", "L3770, L3788-L3794", "KB")
def svrconn_buffer_kb(message_bytes: Quantity) -> Any:
    """Which buffer above the bar does a client message get: a power of two to 1 MB, then whole MB? [L3770] R-48."""
    needed = message_bytes + SVRCONN_HEADER_BYTES
    answer: Any = rounded_up(needed / 1048576) * 1024
    for size in reversed(SVRCONN_BUFFERS_BYTES):
        answer = chosen(needed <= size, size // 1024, answer)
    return answer


@model("chinit_storage", "R-48", "L3781-L3794", "KB")
def svrconn_above_bar_kb(message_bytes: Quantity, sharecnv: Quantity, current_conversations: Quantity = 1) -> Any:
    """How much storage above the bar does one client channel take? [L3788] R-48."""
    buffer_kb = svrconn_buffer_kb(message_bytes)
    shared = chosen(current_conversations <= 1, 2.0 * buffer_kb, SHARING_OVERHEAD * current_conversations * buffer_kb)
    return chosen(sharecnv <= 0, 1.0 * buffer_kb, shared)


@model("chinit_storage", "R-49", "L3798, L3815", "MB", derived=True)
def memlimit_mb_min(above_bar_mb: Quantity, guide: Quantity = STORAGE_GUIDE) -> Any:
    """Which MEMLIMIT does the channel initiator need at least? [L3798] R-49."""
    return larger(MEMLIMIT_MB_MIN, above_bar_mb / guide)


@model("chinit_storage", "R-52", "L3888, L3902", "MB")
def large_free_buffers_mb_max(largest_message_mb: Quantity, free_buffers: Quantity = LARGE_FREE_BUFFERS) -> Any:
    """How much storage may free buffers over 1 MB hold after large messages went by? [L3902] R-52."""
    return largest_message_mb * free_buffers
