"""DISPLAY CHSTATUS: channels that run, and what is kept of those that ran.

CURRENT shows the instances that the server tells of. SAVED shows what two ends compare when they meet: the sync records
and the batches in doubt of the kernel, so it works without a server too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from libremq.admin import command_options as options
from libremq.admin.command import Command, Outcome
from libremq.admin.command_context import Context, number, word
from libremq.admin.commands_status import answer, filled, moment
from libremq.admin.display import Values, shown
from libremq.admin.operations import ChannelInstance
from libremq.admin.steps import Steps
from libremq.common.names.object_names import matches
from libremq.kernel.objects.attributes import Value
from libremq.kernel.objects.channel_definitions import Channel, SendingChannel
from libremq.kernel.objects.channel_sync_record import NO_LUWID, SENDER, ChannelSync
from libremq.kernel.objects.status_tables import CHSTATUS_BY_TYPE, STATUS_TABLES
from libremq.kernel.objects.status_tables_channel import MONITOR
from libremq.kernel.state.batch_identity import BatchIdentity
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

_KEYS = ("CHANNEL", "CHLTYPE", "CONNAME", "CURRENT", "STATUS")
_BRIEF = ("SUBSTATE", "RQMNAME", "XMITQ")
_OF_BATCHES = ("RQMNAME", "INDOUBT", "CURLUWID", "CURMSGS", "CURSEQNO", "LSTLUWID", "LSTSEQNO")
_BRIEF_SAVED = ("SUBSTATE", "XMITQ", *_OF_BATCHES)
_SECURITY_PROTOCOLS = {"TLSV12": C.MQSECPROT_TLSV12, "TLSV13": C.MQSECPROT_TLSV13}
_WORKING = frozenset({C.MQCHS_RUNNING, C.MQCHS_STOPPING, C.MQCHS_PAUSED, C.MQCHS_SWITCHING})
_UNKNOWN = C.MQMON_NOT_AVAILABLE


def channel_status(context: Context, command: Command) -> Steps[Outcome]:
    saved = number(command, options.INSTANCE_TYPE, C.MQOT_CURRENT_CHANNEL) == C.MQOT_SAVED_CHANNEL
    address, xmitq = word(command, options.CONNAME), word(command, options.XMITQ)

    def fits(values: Values) -> bool:
        known = {row.keyword: value for row, value in values}
        return address in ("", known["CONNAME"]) and xmitq in ("", known.get("XMITQ"))

    found = _saved(context, command.name) if saved else _current(context, command.name)
    rows = yield from shown(
        command,
        (("CHSTATUS", values) if fits(values) else None for values in found),
        keys=_KEYS,
        groups={"MONITOR": MONITOR},
        all_by_default=False,
        brief=_BRIEF_SAVED if saved else _BRIEF,
    )
    what = "nothing is kept of it: no batch was ever ended" if saved else "no instance of it runs"
    outcome = answer(command, rows, mq_error(C.MQRCCF_CHL_STATUS_NOT_FOUND, command.name, what))
    # A batch is resolved by what the other end shows: it must be so after a crash, too
    outcome.lsn = context.manager.last_lsn
    return outcome


def _may_see(context: Context, pattern: str, name: str) -> bool:
    return matches(pattern, name) and context.may(C.MQOT_CHANNEL, name, C.MQAUTH_DISPLAY)


# What runs


def _current(context: Context, pattern: str) -> Iterator[Values]:
    for one in context.operations.channel_instances():
        if _may_see(context, pattern, one.channel):
            known = _instance_values(context, one)
            if one.xmitq and not one.partner:
                known |= _last_run(context, one.channel)
            yield of_type(one.channel_type, filled("CHSTATUS", known))


def _last_run(context: Context, name: str) -> dict[str, Value]:
    """The batches of a sender that is stopped, or to be tried again: what is in doubt then, it must not hide."""
    syncs = context.definitions.channel_syncs.values()
    kept = [sync for sync in syncs if sync.channel == name and sync.role == SENDER and sync.partner]
    doubt = next((one for one in context.manager.channel_records.in_doubt() if one.channel == name), None)
    if doubt is not None:
        kept = [sync for sync in kept if sync.key == doubt.key]
    if doubt is None and len(kept) != 1:
        return {}  # it never ran, or with several partners
    values = _saved_values(context, kept[0] if kept else None, doubt)
    return {keyword: values[keyword] for keyword in _OF_BATCHES}


def of_type(channel_type: int, values: Values) -> Values:
    """The fields that a channel of this type has."""
    table = CHSTATUS_BY_TYPE[STATUS_TABLES["CHSTATUS"].find("CHLTYPE").word(channel_type)]
    return tuple(pair for pair in values if pair[0].keyword in table.by_keyword)


def _instance_values(context: Context, one: ChannelInstance) -> dict[str, Value]:
    started, last = moment(one.started), moment(one.last_message)
    monitoring = one.monitoring
    if one.channel_type == C.MQCHT_SVRCONN:
        monitoring = _monitoring(context, one.channel)
    watched = monitoring not in (C.MQMON_OFF, C.MQMON_NONE)

    def figures(values: tuple[int, int]) -> tuple[int, int]:
        return values if watched else (_UNKNOWN, _UNKNOWN)

    substate = one.substate
    if one.channel_type == C.MQCHT_SVRCONN and one.status == C.MQCHS_RUNNING:
        substate = C.MQCHSSTATE_RECEIVING
    return {
        "CHANNEL": one.channel,
        "CHLTYPE": one.channel_type,
        "CONNAME": one.connection_name,
        "CURRENT": C.MQOT_CURRENT_CHANNEL,
        "STATUS": one.status,
        "SUBSTATE": substate,
        "RQMNAME": one.partner,
        "XMITQ": one.xmitq,
        "MCAUSER": one.user,
        "MCASTAT": C.MQMCAS_RUNNING if one.status in _WORKING else C.MQMCAS_STOPPED,
        "JOBNAME": f"{os.getpid():016X}" if one.started and one.status in _WORKING else "",
        "STOPREQ": C.MQCHSR_STOP_REQUESTED if one.stop_requested else C.MQCHSR_STOP_NOT_REQUESTED,
        "CHSTADA": started[0],
        "CHSTATI": started[1],
        "LSTMSGDA": last[0],
        "LSTMSGTI": last[1],
        "MSGS": one.messages,
        "BATCHES": one.batches,
        "BATCHSZ": one.batch_size,
        "BYTSSENT": one.bytes_sent,
        "BYTSRCVD": one.bytes_received,
        "BUFSSENT": one.buffers_sent,
        "BUFSRCVD": one.buffers_received,
        "HBINT": one.heartbeat_s,
        "NPMSPEED": C.MQNPMS_FAST if one.fast else C.MQNPMS_NORMAL,
        "SHORTRTS": one.short_retries,
        "LONGRTS": one.long_retries,
        # Batches
        "INDOUBT": C.MQCHIDS_INDOUBT if one.in_doubt else C.MQCHIDS_NOT_INDOUBT,
        "CURLUWID": one.current_luwid.upper(),
        "CURMSGS": one.current_messages,
        "CURSEQNO": one.current_sequence,
        "LSTLUWID": one.last_luwid.upper(),
        "LSTSEQNO": one.last_sequence,
        # Clients
        "CURSHCNV": one.conversations,
        "MAXSHCNV": one.conversations_max,
        "RAPPLTAG": one.application,
        # The other end
        "RPRODUCT": one.product,
        "RVERSION": one.version,
        "LOCLADDR": one.local_address,
        "SSLCIPH": one.cipher,
        "SECPROT": _SECURITY_PROTOCOLS.get(one.protocol, C.MQSECPROT_NONE),
        "SSLPEER": one.peer_name,
        "SSLCERTI": one.issuer_name,
        # Compression, and what is watched only if it was asked for
        "COMPHDR": one.header_compression,
        "COMPMSG": one.message_compression,
        "MONCHL": C.MQMON_OFF if monitoring == C.MQMON_NONE else monitoring,
        "COMPRATE": figures(one.compression_rate),
        "COMPTIME": figures(one.compression_time),
        "EXITTIME": figures(one.exit_time),
        "NETTIME": figures(one.network_time),
        "XBATCHSZ": figures(one.batch_sizes),
        "XQTIME": figures(one.queue_time),
        "XQMSGSA": one.queued if watched else _UNKNOWN,
    }


def _monitoring(context: Context, name: str) -> int:
    """MONCHL of a server-connection channel, or of the queue manager where the channel leaves it to that."""
    own = getattr(context.definitions.find("CHANNEL", name), "monchl", C.MQMON_Q_MGR)
    every = context.definitions.qmgr.monchl
    return every if own == C.MQMON_Q_MGR or every == C.MQMON_NONE else own


# What is kept


def _saved(context: Context, pattern: str) -> Iterator[Values]:
    kept = {sync.key: sync for sync in context.definitions.channel_syncs.values() if sync.partner}
    doubts: dict[str, list[BatchIdentity]] = {}
    for one in context.manager.channel_records.in_doubt():
        doubts.setdefault(one.key, []).append(one)
    states = {(one.channel, one.partner): one.status for one in context.operations.channel_instances()}
    for key in sorted({*kept, *doubts}):
        sync, waiting = kept.get(key), doubts.get(key, [])
        name = sync.channel if sync is not None else waiting[0].channel
        definition = context.definitions.find("CHANNEL", name)
        if not isinstance(definition, Channel) or not _may_see(context, pattern, name):
            continue
        rows: list[BatchIdentity | None] = [*waiting] or [None]
        for doubt in rows:
            known = _saved_values(context, sync, doubt)
            # One that is to be tried again does not know yet whom it will meet
            status = states.get((name, str(known["RQMNAME"])), states.get((name, ""), C.MQCHS_INACTIVE))
            known |= {"CHLTYPE": definition.chltype, "STATUS": status}
            if isinstance(definition, SendingChannel) and not known["CONNAME"]:
                known["CONNAME"] = definition.conname  # its first batch is still in doubt, or was resolved by hand
            yield of_type(definition.chltype, filled("CHSTATUS.SAVED", known))


def _saved_values(context: Context, sync: ChannelSync | None, doubt: BatchIdentity | None) -> dict[str, Value]:
    """A row for each batch in doubt, or one for the last batch: the same at both ends once all is certain."""
    end = sync if sync is not None else doubt
    assert end is not None
    last, sequence = (sync.luwid, sync.sequence) if sync is not None else (NO_LUWID, 0)
    return {
        "CHANNEL": end.channel,
        "CONNAME": sync.conname if sync is not None else "",
        "CURRENT": C.MQOT_SAVED_CHANNEL,
        "RQMNAME": end.partner,
        "XMITQ": end.xmitq if end.role == SENDER else "",
        "INDOUBT": C.MQCHIDS_INDOUBT if doubt is not None else C.MQCHIDS_NOT_INDOUBT,
        "CURLUWID": (doubt.luwid if doubt is not None else last).upper(),
        "CURSEQNO": doubt.last if doubt is not None else sequence,
        "CURMSGS": context.manager.channel_records.messages_of(doubt) if doubt is not None else 0,
        "LSTLUWID": last.upper(),
        "LSTSEQNO": sequence,
    }


HANDLERS: dict[tuple[str, str], Callable[[Context, Command], Steps[Outcome]]] = {
    ("DISPLAY", "CHSTATUS"): channel_status,
}
