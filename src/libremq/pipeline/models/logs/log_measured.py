"""Log bytes per persistent message as measured, by queue, operation and unit of work.

Four tables for messages of 0 bytes to 4 KB: private and shared queues, put and get; out of syncpoint, one message a
commit, ten a commit. Between the sizes we go straight. Between one and ten a commit a message costs `a + u/n`: its own
records and its share of the unit of work's. That rests on two points a cell, so it is an interpolation and no law; the
models that use it say so.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from libremq.pipeline.models.arithmetic import Quantity, interpolated, ratio
from libremq.pipeline.models.registry import model

Points: TypeAlias = tuple[tuple[float, float], ...]

LOCAL_PUT: Final[Points] = ((0, 1057), (1, 1060), (1024, 2088), (4096, 5331))
"""Out of syncpoint and one a commit are the same on a private queue [L730-L736]."""
LOCAL_PUT_TEN: Final[Points] = ((0, 751), (1, 751), (1024, 1789), (4096, 5052))
LOCAL_GET: Final[Points] = ((0, 481), (1, 481), (1024, 492), (4096, 527))
LOCAL_GET_TEN: Final[Points] = ((0, 186), (1, 186), (1024, 178), (4096, 192))
SHARED_PUT_ALONE: Final[Points] = ((0, 683), (1, 683), (1024, 1687), (4096, 4780))
SHARED_PUT: Final[Points] = ((0, 1230), (1, 1230), (1024, 2276), (4096, 5357))
SHARED_PUT_TEN: Final[Points] = ((0, 768), (1, 768), (1024, 1802), (4096, 4884))
SHARED_GET_ALONE: Final[Points] = ((0, 62), (1, 62), (1024, 69), (4096, 76))
SHARED_GET: Final[Points] = ((0, 662), (1, 662), (1024, 650), (4096, 630))
SHARED_GET_TEN: Final[Points] = ((0, 188), (1, 188), (1024, 177), (4096, 185))


def _unit_of_work(message_bytes: Quantity, one: Points, ten: Points) -> Any:
    """`u`: what the unit of work itself logs, from `one - ten = u - u/10`.

    Level past the measured sizes: a unit of work's own records do not depend on the messages in it, and the small
    differences measured would grow into nonsense.
    """
    alone = interpolated(message_bytes, one, level_below=True, level_above=True)
    tenth = interpolated(message_bytes, ten, level_below=True, level_above=True)
    return (alone - tenth) * (10 / 9)


def _committed(message_bytes: Quantity, per_commit: Quantity, one: Points, ten: Points, level: bool = False) -> Any:
    unit_of_work = _unit_of_work(message_bytes, one, ten)
    return interpolated(message_bytes, one, level_below=level, level_above=level) - unit_of_work * (1 - 1 / per_commit)


@model("log", "R-LV-01", "L713-L718", "bytes")
def log_bytes_per_operation(earlier_rba: Quantity, later_rba: Quantity, operations: Quantity) -> Any:
    """Bytes logged for each operation between two log addresses, nothing else running [L713] (R-LV-01)."""
    return ratio(later_rba - earlier_rba, operations)


@model("log", "R-LV-01", "L730-L736", "bytes")
def local_put_log_bytes(message_bytes: Quantity) -> Any:
    """Log bytes of a persistent put out of syncpoint to a private queue [L730] (R-LV-01, T-02)."""
    return interpolated(message_bytes, LOCAL_PUT)


@model("log", "R-LV-01", "L738-L743", "bytes")
def local_get_log_bytes(message_bytes: Quantity) -> Any:
    """Log bytes of a persistent get out of syncpoint from a private queue [L738] (R-LV-01, T-03)."""
    return interpolated(message_bytes, LOCAL_GET)


@model("log", "R-LV-01", "L747-L752", "bytes")
def shared_put_log_bytes(message_bytes: Quantity) -> Any:
    """Log bytes of a persistent put out of syncpoint to a shared queue [L747] (R-LV-01, T-04)."""
    return interpolated(message_bytes, SHARED_PUT_ALONE)


@model("log", "R-LV-01", "L754-L759", "bytes")
def shared_get_log_bytes(message_bytes: Quantity) -> Any:
    """Log bytes of a persistent get out of syncpoint from a shared queue [L754] (R-LV-01, T-05)."""
    return interpolated(message_bytes, SHARED_GET_ALONE)


@model("log", "R-LV-11", "L730-L736", "bytes", derived=True)
def local_put_committed_log_bytes(message_bytes: Quantity, messages_per_commit: Quantity = 1) -> Any:
    """Log bytes of each persistent put in syncpoint to a private queue [L730] (R-LV-01, R-LV-11, T-02)."""
    return _committed(message_bytes, messages_per_commit, LOCAL_PUT, LOCAL_PUT_TEN)


@model("log", "R-LV-11", "L738-L743", "bytes", derived=True)
def local_get_committed_log_bytes(message_bytes: Quantity, messages_per_commit: Quantity = 1) -> Any:
    """Log bytes of each persistent get in syncpoint from a private queue [L738] (R-LV-01, R-LV-11, T-03)."""
    return _committed(message_bytes, messages_per_commit, LOCAL_GET, LOCAL_GET_TEN)


@model("log", "R-LV-11", "L747-L752", "bytes", derived=True)
def shared_put_committed_log_bytes(message_bytes: Quantity, messages_per_commit: Quantity = 1) -> Any:
    """Log bytes of each persistent put in syncpoint to a shared queue [L747] (R-LV-01, R-LV-11, T-04)."""
    return _committed(message_bytes, messages_per_commit, SHARED_PUT, SHARED_PUT_TEN)


@model("log", "R-LV-11", "L754-L759", "bytes", derived=True)
def shared_get_committed_log_bytes(message_bytes: Quantity, messages_per_commit: Quantity = 1) -> Any:
    """Log bytes of each persistent get in syncpoint from a shared queue [L754] (R-LV-01, R-LV-11, T-05).

    Past 4 KB it stays level: the measured decline would end below nothing.
    """
    return _committed(message_bytes, messages_per_commit, SHARED_GET, SHARED_GET_TEN, level=True)


@model("log", "R-LV-11", "L730-L736", "bytes", derived=True)
def local_put_unit_of_work_log_bytes(message_bytes: Quantity) -> Any:
    """Log bytes of the unit of work around puts to private queues, without its messages [L730] (R-LV-11)."""
    return _unit_of_work(message_bytes, LOCAL_PUT, LOCAL_PUT_TEN)


@model("log", "R-LV-11", "L738-L743", "bytes", derived=True)
def local_get_unit_of_work_log_bytes(message_bytes: Quantity) -> Any:
    """Log bytes of the unit of work around gets from private queues, without its messages [L738] (R-LV-11)."""
    return _unit_of_work(message_bytes, LOCAL_GET, LOCAL_GET_TEN)


@model("log", "R-LV-11", "L747-L752", "bytes", derived=True)
def shared_put_unit_of_work_log_bytes(message_bytes: Quantity) -> Any:
    """Log bytes of the unit of work around puts to shared queues, without its messages [L747] (R-LV-11)."""
    return _unit_of_work(message_bytes, SHARED_PUT, SHARED_PUT_TEN)


@model("log", "R-LV-11", "L754-L759", "bytes", derived=True)
def shared_get_unit_of_work_log_bytes(message_bytes: Quantity) -> Any:
    """Log bytes of the unit of work around gets from shared queues, without its messages [L754] (R-LV-11)."""
    return _unit_of_work(message_bytes, SHARED_GET, SHARED_GET_TEN)


@model("log", "R-LV-02", "L763-L774", "bytes")
def request_reply_log_bytes(request_bytes: Quantity, reply_bytes: Quantity) -> Any:
    """Log bytes of one persistent request and its reply over private queues [L763] (R-LV-02).

    The requester works out of syncpoint, the server gets and puts with a commit each.
    """
    requester = local_put_log_bytes(request_bytes) + local_get_log_bytes(reply_bytes)
    server = local_get_committed_log_bytes(request_bytes) + local_put_committed_log_bytes(reply_bytes)
    return requester + server
