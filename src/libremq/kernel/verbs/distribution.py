"""Distribution lists: one put, several destinations, an outcome for each."""

from __future__ import annotations

from collections.abc import Sequence

from libremq.kernel.authority import object_authority
from libremq.kernel.events import queue_manager_events
from libremq.kernel.messages import name_resolution
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.failure_reasons import PASSING, as_mq_error
from libremq.kernel.state.verb_result import Positioned
from libremq.kernel.verbs import putting
from libremq.kernel.verbs.opening import check_options, new_handle
from libremq.log import LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQMD, MQOD, MQOR, MQPMO, MQPMR, MQRR

_ALLOWED = (
    C.MQOO_OUTPUT | C.MQOO_PASS_IDENTITY_CONTEXT | C.MQOO_PASS_ALL_CONTEXT | C.MQOO_SET_IDENTITY_CONTEXT
    | C.MQOO_SET_ALL_CONTEXT | C.MQOO_ALTERNATE_USER_AUTHORITY | C.MQOO_FAIL_IF_QUIESCING | C.MQOO_BIND_ON_OPEN
    | C.MQOO_BIND_NOT_FIXED
)  # fmt: skip


def open_list(core: Core, connection: Connection, od: MQOD, options: int, records: Sequence[MQOR]) -> ObjectHandle:
    """Open a list. `handle.responses` has the outcome of each record; it fails only if all fail."""
    if not records:
        raise mq_error(C.MQRC_OBJECT_RECORDS_ERROR, "", "a distribution list needs object records")
    if od.ObjectName:
        raise mq_error(C.MQRC_OBJECT_NAME_ERROR, od.ObjectName, "ObjectName must be blank for a distribution list")
    if od.ObjectType != C.MQOT_Q or options & ~_ALLOWED or not options & C.MQOO_OUTPUT:
        raise mq_error(C.MQRC_OPTION_NOT_VALID_FOR_TYPE, "", "a distribution list is opened for output only")
    check_options(od, options)
    most = core.catalogue.qmgr.maxhands
    if connection.open_count + len(records) > most:
        raise mq_error(
            C.MQRC_HANDLE_NOT_AVAILABLE, "", f"each queue of a list is a handle, and a connection has {most} (MAXHANDS)"
        )
    handle = new_handle(connection, None, options, f"distribution list of {len(records)} queues")
    od.KnownDestCount = od.UnknownDestCount = od.InvalidDestCount = 0
    for record in records:
        try:
            destination = name_resolution.destination_of(core, record.ObjectName, record.ObjectQMgrName)
            object_authority.check_destination(core, connection, od, options, record)
        except MQError as error:
            queue_manager_events.name_not_resolved(core, connection, error, record.ObjectName, record.ObjectQMgrName)
            handle.destinations.append(None)
            handle.responses.append(MQRR(CompCode=error.comp_code, Reason=error.reason))
            od.InvalidDestCount += 1
            continue
        handle.destinations.append(destination)
        handle.responses.append(MQRR())
        if destination.is_remote:
            od.UnknownDestCount += 1
        else:
            od.KnownDestCount += 1
            destination.queue.output_count += 1
        destination.queue.open_handles.add(handle)
    if not any(handle.destinations):
        raise _all_failed(handle.responses)
    connection.keep(handle)
    return handle


def _all_failed(responses: Sequence[MQRR]) -> MQError:
    reasons = {response.Reason for response in responses}
    if len(reasons) == 1:
        return mq_error(reasons.pop(), "", "every destination of the list failed for this reason")
    return mq_error(C.MQRC_MULTIPLE_REASONS, "", f"every destination failed: reasons {sorted(reasons)}")


def warning_of(responses: Sequence[MQRR]) -> int:
    return C.MQRC_MULTIPLE_REASONS if any(response.Reason for response in responses) else C.MQRC_NONE


def put(
    core: Core,
    connection: Connection,
    handle: ObjectHandle,
    md: MQMD,
    pmo: MQPMO,
    data: bytes,
    records: Sequence[MQPMR] = (),
    *,
    put1: bool = False,
) -> Positioned[int]:
    """Put to every destination that opened. Fails only if all fail; else a warning if some did."""
    if records and len(records) != len(handle.destinations):
        raise mq_error(C.MQRC_RECS_PRESENT_ERROR, "", f"{len(handle.destinations)} put message records are needed")
    responses: list[MQRR] = []
    last: MQMD | None = None
    lsn = 0
    counts = [0, 0, 0]
    for index, destination in enumerate(handle.destinations):
        if destination is None:
            responses.append(MQRR(CompCode=C.MQCC_FAILED, Reason=C.MQRC_OPEN_FAILED))
            counts[2] += 1
            continue
        copy, options = md.copy(), pmo.copy()
        if records:
            _apply(records[index], pmo.PutMsgRecFields, copy)
        try:
            warning, one = putting.put_to(core, connection, handle, destination, copy, options, data, put1=put1)
        except (MQError, *PASSING) as error:
            if isinstance(error, LogFull) and last is None:
                raise  # nothing has been put: the call is made again when there is room
            failed = error if isinstance(error, MQError) else as_mq_error(error, core.qmgr_name)
            responses.append(MQRR(CompCode=failed.comp_code, Reason=failed.reason))
            counts[2] += 1
            continue
        lsn = max(lsn, one)
        responses.append(MQRR(CompCode=C.MQCC_WARNING if warning else C.MQCC_OK, Reason=warning))
        counts[1 if destination.is_remote else 0] += 1
        last = copy
        if records:
            records[index].MsgId, records[index].CorrelId = copy.MsgId, copy.CorrelId
    pmo.KnownDestCount, pmo.UnknownDestCount, pmo.InvalidDestCount = counts
    handle.responses = responses
    if last is None:
        raise _all_failed(responses)
    md.PutDate, md.PutTime, md.PutApplName, md.UserIdentifier = (
        last.PutDate, last.PutTime, last.PutApplName, last.UserIdentifier,
    )  # fmt: skip
    return warning_of(responses), lsn  # the ids that were made are in the put message records, not in the descriptor


def _apply(record: MQPMR, fields: int, md: MQMD) -> None:
    """The fields that PutMsgRecFields names are taken from the record of the destination."""
    if fields & C.MQPMRF_MSG_ID:
        md.MsgId = record.MsgId
    if fields & C.MQPMRF_CORREL_ID:
        md.CorrelId = record.CorrelId
    if fields & C.MQPMRF_GROUP_ID:
        md.GroupId = record.GroupId
    if fields & C.MQPMRF_FEEDBACK:
        md.Feedback = record.Feedback
    if fields & C.MQPMRF_ACCOUNTING_TOKEN:
        md.AccountingToken = record.AccountingToken
