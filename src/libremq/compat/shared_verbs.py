"""The verbs that both packages call with the same arguments.

Each takes positional arguments in the order of C, structures as bytes, and returns a tuple that ends with the
completion code and the reason. Nothing here is locked: a get that waits holds up nobody.
"""

from __future__ import annotations

from libremq.compat import connection_handles, outcome
from libremq.compat.packed_structures import check_data, check_numbers, check_size, read, write
from libremq.mqi import constants as C
from libremq.mqi.structs import MQCMHO, MQGMO, MQMD, MQOD, MQPMO, MQSD

Ended = tuple[int, int]
"""The completion code and the reason."""


def MQDISC(hconn: int) -> Ended:
    """End a connection. A unit of work in progress is committed."""
    check_numbers(hconn)
    return outcome.of(lambda: connection_handles.remove(hconn).MQDISC())


def MQOPEN(hconn: int, od: bytes, options: int) -> tuple[int, bytes, int, int]:
    """(hobj, od, cc, rc). The name of a dynamic queue is in the MQOD that comes back."""
    data = check_size(od, MQOD)
    check_numbers(hconn, options)

    def call() -> tuple[int, bytes]:
        described = read(MQOD, data)
        hobj = connection_handles.find(hconn).MQOPEN(described, options)
        return hobj, write(described, data)

    (hobj, data), comp_code, reason = outcome.run(call, (C.MQHO_UNUSABLE_HOBJ, data))
    return hobj, data, comp_code, reason


def MQCLOSE(hconn: int, hobj: int, options: int) -> Ended:
    check_numbers(hconn, hobj, options)
    return outcome.of(lambda: connection_handles.find(hconn).MQCLOSE(hobj, options))


def MQPUT(hconn: int, hobj: int, md: bytes, pmo: bytes, message: bytes) -> tuple[bytes, bytes, int, int]:
    """(md, pmo, cc, rc)."""
    md_data, pmo_data, body = check_size(md, MQMD), check_size(pmo, MQPMO), check_data(message)
    check_numbers(hconn, hobj)

    def call() -> tuple[bytes, bytes, int]:
        descriptor, options = read(MQMD, md_data), read(MQPMO, pmo_data)
        reason = connection_handles.find(hconn).MQPUT(hobj, descriptor, options, body)
        return write(descriptor, md_data), write(options, pmo_data), reason

    return _put(outcome.run(call, (md_data, pmo_data, 0)))


def MQPUT1(hconn: int, od: bytes, md: bytes, pmo: bytes, message: bytes) -> tuple[bytes, bytes, int, int]:
    """(md, pmo, cc, rc)."""
    od_data, md_data, pmo_data = check_size(od, MQOD), check_size(md, MQMD), check_size(pmo, MQPMO)
    body = check_data(message)
    check_numbers(hconn)

    def call() -> tuple[bytes, bytes, int]:
        target, descriptor, options = read(MQOD, od_data), read(MQMD, md_data), read(MQPMO, pmo_data)
        reason = connection_handles.find(hconn).MQPUT1(target, descriptor, options, body)
        return write(descriptor, md_data), write(options, pmo_data), reason

    return _put(outcome.run(call, (md_data, pmo_data, 0)))


def _put(ended: tuple[tuple[bytes, bytes, int], int, int]) -> tuple[bytes, bytes, int, int]:
    (md, pmo, warning), comp_code, reason = ended
    return (md, pmo, *outcome.of_reason(warning)) if warning else (md, pmo, comp_code, reason)


def MQGET(hconn: int, hobj: int, md: bytes, gmo: bytes, length: int) -> tuple[bytes, bytes, bytes, int, int, int]:
    """(message, md, gmo, full length, cc, rc). The descriptor is filled in on a warning too, 2080 included."""
    md_data, gmo_data = check_size(md, MQMD), check_size(gmo, MQGMO)
    check_numbers(hconn, hobj, length)

    def call() -> tuple[bytes, bytes, bytes, int, Ended]:
        descriptor, options = read(MQMD, md_data), read(MQGMO, gmo_data)
        got = connection_handles.find(hconn).MQGET(hobj, descriptor, options, length)
        ended = got.comp_code, got.reason
        return got.data, write(descriptor, md_data), write(options, gmo_data), got.length, ended

    failed = (b"", md_data, gmo_data, 0, outcome.OK)
    (message, md_data, gmo_data, whole, warning), comp_code, reason = outcome.run(call, failed)
    comp_code, reason = (comp_code, reason) if comp_code else warning
    return message, md_data, gmo_data, whole, comp_code, reason


def MQBEGIN(hconn: int) -> Ended:
    check_numbers(hconn)
    return outcome.of(lambda: connection_handles.find(hconn).MQBEGIN())


def MQCMIT(hconn: int) -> Ended:
    check_numbers(hconn)
    return outcome.of(lambda: connection_handles.find(hconn).MQCMIT())


def MQBACK(hconn: int) -> Ended:
    check_numbers(hconn)
    return outcome.of(lambda: connection_handles.find(hconn).MQBACK())


def MQSUB(hconn: int, sd: bytes, hobj: int) -> tuple[bytes, int, int, int, int]:
    """(sd, hobj, hsub, cc, rc)."""
    data = check_size(sd, MQSD)
    check_numbers(hconn, hobj)

    def call() -> tuple[bytes, int, int]:
        connection_handles.find(hconn).MQSUB(read(MQSD, data), hobj)

    (data, hobj, hsub), comp_code, reason = outcome.run(call, (data, hobj, C.MQHO_UNUSABLE_HOBJ))
    return data, hobj, hsub, comp_code, reason


def MQCRTMH(hconn: int, cmho: bytes) -> tuple[int, int, int]:
    """(hmsg, cc, rc)."""
    data = check_size(cmho, MQCMHO)
    check_numbers(hconn)
    return outcome.run(lambda: connection_handles.find(hconn).MQCRTMH(read(MQCMHO, data)), C.MQHM_UNUSABLE_HMSG)
