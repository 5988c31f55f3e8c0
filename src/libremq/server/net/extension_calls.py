"""Calls between two LibreMQs that the channel protocol has no public layout for.

Distribution lists, MQBEGIN, MQCB, MQCTL, and the administration that `host.binding.Access` offers: each is a name, a
JSON value and bytes. What touches files, or takes long, is done by a thread of its own.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQOD, MQOR, MQPMR
from libremq.server.net import deliveries
from libremq.server.net.property_blocks import PropertyBlocks
from libremq.wire import calls
from libremq.wire.descriptor import pack_md, unpack_md
from libremq.wire.extensions import RECORD_BYTES, read_callback, read_record, record_bytes
from libremq.wire.protocol import ProtocolError, Status
from libremq.wire.wire_structures import PMO

if TYPE_CHECKING:
    from libremq.server.net.conversation import Conversation
    from libremq.wire.segments import Flow


def open_reply(conversation: Conversation, hobj: int, od: MQOD, records: Sequence[MQOR]) -> dict[str, Any] | None:
    if not records:
        return None
    found = conversation.manager.responses(conversation.hconn, hobj)
    return {"responses": [[one.CompCode, one.Reason] for one in found]}


# Extension calls


def run(conversation: Conversation, flow: Flow) -> None:
    value, blob = calls.unpack_extension(flow.body, calls.JSON_MAX)
    name = value.pop("call", "")
    if not isinstance(name, str):
        raise ProtocolError(Status.PROTOCOL_INVALID_DATA, "a call whose name is none")
    quick = _QUICK.get(name)
    if quick is not None or name == "put_list":
        if not conversation.hconn:
            raise mq_error(C.MQRC_HCONN_ERROR, conversation.manager.name, "MQCONN comes first")
        try:
            if quick is None:
                _put_list(conversation, flow, value, blob)
                return
            answer, rest = quick(conversation, calls.unpack_api(flow.body).hobj, value, blob)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ProtocolError(Status.PROTOCOL_INVALID_DATA, f"the arguments of {name}: {error}") from error
        reason = int(answer.pop("reason", 0))
        comp_code = C.MQCC_WARNING if reason else C.MQCC_OK
        conversation.reply(flow, calls.pack_extension(name, answer, rest, comp_code=comp_code, reason=reason))
        return
    command = _CHECKED.get(name) or _COMMANDS.get(name)
    if command is None:
        raise mq_error(C.MQRC_FUNCTION_NOT_SUPPORTED, conversation.manager.name, f"there is no call {name[:40]!r}")
    if name not in _CHECKED:
        conversation.event_loop.admission.check_administrator(
            conversation.user, conversation.privileged, conversation.link.local, name
        )
    conversation.elsewhere(flow, lambda: calls.pack_extension(name, _result(command, conversation, value)))


def _result(
    command: Callable[[Conversation, dict[str, Any]], object], conversation: Conversation, value: dict[str, Any]
) -> dict[str, Any]:
    try:
        return {"result": _plain(command(conversation, value))}
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise mq_error(
            C.MQRC_OPTIONS_ERROR, conversation.manager.name, f"the arguments make no sense: {error}"
        ) from error


def _plain(value: object) -> Any:
    """As JSON has it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "_asdict"):
        return {name: _plain(item) for name, item in value._asdict().items()}
    if isinstance(value, dict):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    return value


Answer = tuple[dict[str, Any], bytes]


def _begin(conversation: Conversation, hobj: int, value: dict[str, Any], blob: bytes) -> Answer:
    return {"reason": conversation.manager.begin(conversation.hconn)}, b""


def _responses(conversation: Conversation, hobj: int, value: dict[str, Any], blob: bytes) -> Answer:
    found = conversation.manager.responses(conversation.hconn, hobj)
    return {"responses": [[one.CompCode, one.Reason] for one in found]}, b""


def _put_list(conversation: Conversation, flow: Flow, value: dict[str, Any], blob: bytes) -> None:
    """MQPUT with put message records, which are filled also if the put fails for all of them."""
    md, offset = unpack_md(blob, 0)
    pmo, offset = PMO.unpack(blob, offset)
    records: list[MQPMR] = []
    for _ in range(min(int(value["records"]), calls.RECORDS_MAX)):
        records.append(read_record(blob[offset : offset + RECORD_BYTES]))
        offset += RECORD_BYTES
    hobj = calls.unpack_api(flow.body).hobj
    failure: MQError | None = None
    comp_code = reason = 0
    try:
        with PropertyBlocks(conversation, pmo, blob[offset:]) as data:
            reason = conversation.manager.put(conversation.hconn, hobj, md, pmo, data, records)
        comp_code = C.MQCC_WARNING if reason else C.MQCC_OK
    except MQError as error:
        failure, comp_code, reason = error, error.comp_code, error.reason
    filled = pack_md(md) + PMO.pack(pmo) + b"".join(record_bytes(record) for record in records)
    body = calls.pack_extension("put_list", {}, filled, comp_code=comp_code, reason=reason)
    if failure is None:
        conversation.reply(flow, body)
    else:
        conversation.fail(flow, failure, body)


def _callback(conversation: Conversation, hobj: int, value: dict[str, Any], blob: bytes) -> Answer:
    cbd, md, gmo = read_callback(blob)
    deliveries.register(conversation, int(value["operation"]), cbd, hobj, md, gmo, value.get("function"))
    return {}, b""


def _control(conversation: Conversation, hobj: int, value: dict[str, Any], blob: bytes) -> Answer:
    operation = int(value["operation"])
    conversation.manager.control(conversation.hconn, operation)
    if operation in (C.MQOP_START, C.MQOP_START_WAIT):
        conversation.ready = True
    conversation.event_loop.wake(conversation)
    return {}, b""


_QUICK: dict[str, Callable[[Conversation, int, dict[str, Any], bytes], Answer]] = {
    "begin": _begin,
    "responses": _responses,
    "callback": _callback,
    "control": _control,
}
# Commands that check what authorities their issuer has
_CHECKED: dict[str, Callable[[Conversation, dict[str, Any]], object]] = {
    "mqsc": lambda c, v: c.event_loop.access.mqsc(v["text"], c.issuer()),
    "define": lambda c, v: c.event_loop.access.define(
        v["kind"], v["name"], v["attributes"], like=v["like"], replace=v["replace"], issuer=c.issuer()
    ),
    "alter": lambda c, v: c.event_loop.access.alter(v["kind"], v["name"], v["attributes"], issuer=c.issuer()),
    "delete": lambda c, v: c.event_loop.access.delete(v["kind"], v["name"], purge=v["purge"], issuer=c.issuer()),
    "clear": lambda c, v: c.event_loop.access.clear(v["name"], issuer=c.issuer()),
    "display": lambda c, v: c.event_loop.access.display(v["kind"], v["pattern"], issuer=c.issuer()),
    "names": lambda c, v: c.event_loop.access.names(v["kind"], v["pattern"], issuer=c.issuer()),
}
# Commands for administrators only: most of them are about files of the queue manager
_COMMANDS: dict[str, Callable[[Conversation, dict[str, Any]], object]] = {
    "checkpoint": lambda c, v: c.event_loop.access.checkpoint(),
    "statistics": lambda c, v: c.event_loop.access.statistics(),
    "log_findings": lambda c, v: c.event_loop.access.log_findings(),
    "log_extents": lambda c, v: c.event_loop.access.log_extents(),
    "archive_log": lambda c, v: c.event_loop.access.archive_log(v["to"]),
    "mark_log_archived": lambda c, v: c.event_loop.access.mark_log_archived(v["name"]),
    "delete_log_extents": lambda c, v: c.event_loop.access.delete_log_extents(),
    "record_images": lambda c, v: c.event_loop.access.record_images(v["kind"], v["pattern"]),
    "recover_objects": lambda c, v: c.event_loop.access.recover_objects(v["kind"], v["pattern"]),
    "units_in_doubt": lambda c, v: c.event_loop.access.units_in_doubt(),
    "decided_units": lambda c, v: c.event_loop.access.decided_units(),
    "resolve_unit": lambda c, v: c.event_loop.access.resolve_unit(v["xid"], commit=bool(v["commit"])),
    "forget_unit": lambda c, v: c.event_loop.access.forget_unit(v["xid"]),
    "object_files": lambda c, v: c.event_loop.access.object_files(v["kind"], v["pattern"]),
    "copy_to_backup": lambda c, v: c.event_loop.access.copy_to_backup(v["target"], v["log_folder"]),
}
