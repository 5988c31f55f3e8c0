"""Message context: who put the message, when, with what. Six identity and origin fields of the descriptor."""

from __future__ import annotations

import time

from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQMD, MQPMO
from libremq.store.stored_message import Origin

_IDENTITY = ("UserIdentifier", "AccountingToken", "ApplIdentityData")
_ORIGIN = ("PutApplType", "PutApplName", "PutDate", "PutTime", "ApplOriginData")
_OPTIONS = (
    C.MQPMO_NO_CONTEXT | C.MQPMO_DEFAULT_CONTEXT | C.MQPMO_PASS_IDENTITY_CONTEXT | C.MQPMO_PASS_ALL_CONTEXT
    | C.MQPMO_SET_IDENTITY_CONTEXT | C.MQPMO_SET_ALL_CONTEXT
)  # fmt: skip
_PASSES = C.MQPMO_PASS_IDENTITY_CONTEXT | C.MQPMO_PASS_ALL_CONTEXT
_FROM_ANOTHER = _PASSES | C.MQPMO_SET_IDENTITY_CONTEXT | C.MQPMO_SET_ALL_CONTEXT
# put option -> the open option that must have been asked for
_NEEDS_OPEN = {
    C.MQPMO_PASS_IDENTITY_CONTEXT: C.MQOO_PASS_IDENTITY_CONTEXT
    | C.MQOO_PASS_ALL_CONTEXT
    | C.MQOO_SET_IDENTITY_CONTEXT
    | C.MQOO_SET_ALL_CONTEXT,
    C.MQPMO_PASS_ALL_CONTEXT: C.MQOO_PASS_ALL_CONTEXT | C.MQOO_SET_ALL_CONTEXT,
    C.MQPMO_SET_IDENTITY_CONTEXT: C.MQOO_SET_IDENTITY_CONTEXT | C.MQOO_SET_ALL_CONTEXT,
    C.MQPMO_SET_ALL_CONTEXT: C.MQOO_SET_ALL_CONTEXT,
}

# put option -> the open option whose authority MQPUT1 needs
_PUT1_NEEDS = {
    C.MQPMO_PASS_IDENTITY_CONTEXT: C.MQOO_PASS_IDENTITY_CONTEXT,
    C.MQPMO_PASS_ALL_CONTEXT: C.MQOO_PASS_ALL_CONTEXT,
    C.MQPMO_SET_IDENTITY_CONTEXT: C.MQOO_SET_IDENTITY_CONTEXT,
    C.MQPMO_SET_ALL_CONTEXT: C.MQOO_SET_ALL_CONTEXT,
}

BLANK_STAMP = b" " * 16
"""PutDate and PutTime of a message without context."""
_stamp: tuple[int, str, str, bytes] = (-1, "", "", b"")  # the last hundredth of a second: puts come in bursts


def open_options(pmo: MQPMO) -> int:
    """The context options of an open that would allow the same put."""
    return _PUT1_NEEDS.get(pmo.Options & _OPTIONS, 0)


def accounting_token(user_number: int | None) -> bytes:
    """The token of a user as MQ has it on Unix: length and digits of the user's number; the last byte says so."""
    if user_number is None:
        return C.MQACT_NONE
    digits = str(user_number).encode()
    return (bytes([len(digits)]) + digits).ljust(31, b"\0") + C.MQACTT_UNIX_NUMERIC_ID.encode()


def _stamp_of(now: float) -> tuple[int, str, str, bytes]:
    global _stamp
    hundredths = int(now * 100)
    if _stamp[0] != hundredths:
        moment = time.gmtime(hundredths // 100)
        date = time.strftime("%Y%m%d", moment)
        put_time = time.strftime("%H%M%S", moment) + f"{hundredths % 100:02d}"
        _stamp = hundredths, date, put_time, (date + put_time).encode()
    return _stamp


def put_date_time(now: float) -> tuple[str, str]:
    """PutDate YYYYMMDD and PutTime HHMMSSTH, in GMT."""
    return _stamp_of(now)[1:3]


def put_stamp(now: float) -> bytes:
    """The same as a descriptor has them, one behind the other."""
    return _stamp_of(now)[3]


def set_context(
    connection: Connection, handle: ObjectHandle | None, md: MQMD, pmo: MQPMO, now: float, *, put1: bool = False
) -> None:
    """Fill the context fields of the descriptor as the put options ask."""
    option = pmo.Options & _OPTIONS
    if not option or option == C.MQPMO_DEFAULT_CONTEXT:
        md.UserIdentifier = connection.user  # also with an alternate user, whose authority is asked for, no more
        md.AccountingToken = connection.accounting_token
        md.ApplIdentityData = ""
        _sign(connection, md, now)
        return
    if option & (option - 1):
        raise mq_error(C.MQRC_OPTIONS_ERROR, "", "only one context option may be given")
    needed = _NEEDS_OPEN.get(option)
    if needed and not put1 and not (handle is not None and handle.options & needed):
        raise mq_error(
            C.MQRC_NOT_OPEN_FOR_PASS_IDENT if option == C.MQPMO_PASS_IDENTITY_CONTEXT
            else C.MQRC_NOT_OPEN_FOR_PASS_ALL if option == C.MQPMO_PASS_ALL_CONTEXT
            else C.MQRC_NOT_OPEN_FOR_SET_IDENT if option == C.MQPMO_SET_IDENTITY_CONTEXT
            else C.MQRC_NOT_OPEN_FOR_SET_ALL,
            handle.object_name if handle else "",
        )  # fmt: skip
    if option == C.MQPMO_SET_ALL_CONTEXT:
        return
    source: MQMD | None = None
    if option in (C.MQPMO_PASS_IDENTITY_CONTEXT, C.MQPMO_PASS_ALL_CONTEXT):
        source = _saved(connection, pmo)
    if option == C.MQPMO_PASS_ALL_CONTEXT:
        assert source is not None
        for field in _IDENTITY + _ORIGIN:
            setattr(md, field, getattr(source, field))
        return
    if option == C.MQPMO_NO_CONTEXT:
        md.UserIdentifier, md.AccountingToken, md.ApplIdentityData = "", C.MQACT_NONE, ""
        md.PutApplType, md.PutApplName, md.PutDate, md.PutTime = C.MQAT_NO_CONTEXT, "", "", ""
        md.ApplOriginData = ""
        return
    if source is not None:
        for field in _IDENTITY:
            setattr(md, field, getattr(source, field))
    _sign(connection, md, now)


def passed_origin(connection: Connection, pmo: MQPMO) -> Origin | None:
    """Whose context is passed on, its origin is, too: an identity that nobody has proven does not become a better one.

    A program that sets the context itself answers for it, unless it says whose it has copied: with the handle through
    which it has read that message, also by a browse. That is ours; elsewhere the handle is not looked at.
    """
    if not pmo.Options & _FROM_ANOTHER:
        return None
    saved = connection.handles.get(pmo.Context)
    if saved is None:
        return None
    return saved.saved_origin if pmo.Options & _PASSES else saved.read_origin


def _sign(connection: Connection, md: MQMD, now: float) -> None:
    """The origin context of a put that is neither passed on nor set by the application."""
    md.PutApplType = connection.application_type
    md.PutApplName = connection.application
    md.PutDate, md.PutTime = put_date_time(now)
    md.ApplOriginData = ""


def _saved(connection: Connection, pmo: MQPMO) -> MQMD:
    """The context of the last message got through the handle in pmo.Context."""
    saved = connection.handles.get(pmo.Context)
    if saved is None or not saved.has(C.MQOO_SAVE_ALL_CONTEXT):
        raise mq_error(
            C.MQRC_CONTEXT_HANDLE_ERROR, "", "pmo.Context must be a handle opened with MQOO_SAVE_ALL_CONTEXT"
        )
    if saved.saved_context is None:
        raise mq_error(C.MQRC_CONTEXT_NOT_AVAILABLE, saved.object_name, "no message was got through that handle yet")
    return saved.saved_context
