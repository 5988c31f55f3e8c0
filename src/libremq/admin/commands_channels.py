"""Commands that start, stop, ping, reset and resolve channels.

What runs a channel is asked of the server around the kernel. RESET and RESOLVE need the kernel alone: they change what
two ends compare when they meet, so they are for channels that do not run.
"""

from __future__ import annotations

from collections.abc import Callable

from libremq.admin import command_options as options
from libremq.admin.command import Command, Outcome
from libremq.admin.command_context import Context, number, word
from libremq.admin.command_table import CLUSTERS
from libremq.admin.commands_control import unless_so_already
from libremq.admin.commands_objects import done, not_there_yet
from libremq.admin.pending_outcome import Pending
from libremq.common.messages.amq_messages import AmqMessage
from libremq.kernel.objects.channel_definitions import (
    Channel,
    MessageChannel,
    Receiver,
    Requester,
    Sender,
    Server,
    ServerConnection,
)
from libremq.kernel.objects.channel_sync_record import RECEIVER, SENDER
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

AT_REST = frozenset({C.MQCHS_INACTIVE, C.MQCHS_STOPPED, C.MQCHS_RETRYING})
"""The states in which no agent works with what is kept of a channel."""

_PING_BYTES = 64
_RUNNABLE = (Sender, Server, Receiver, Requester, ServerConnection)
# Why a ping failed, by the message that says so. Those that are not here are failures of the ping itself
_REASONS = {
    9202: C.MQRCCF_HOST_NOT_AVAILABLE,
    9206: C.MQRCCF_SEND_FAILED,
    9207: C.MQRCCF_RECEIVED_DATA_ERROR,
    9208: C.MQRCCF_RECEIVE_FAILED,
    9209: C.MQRCCF_CONNECTION_CLOSED,
    9514: C.MQRCCF_CHANNEL_IN_USE,
    9519: C.MQRCCF_CHANNEL_NOT_FOUND,
    9520: C.MQRCCF_UNKNOWN_REMOTE_CHANNEL,
    9524: C.MQRCCF_REMOTE_QM_UNAVAILABLE,
    9525: C.MQRCCF_REMOTE_QM_TERMINATING,
}


def _channel(context: Context, command: Command, needed: int = C.MQAUTH_CONTROL) -> Channel:
    found = context.definitions.find("CHANNEL", command.name)
    if not isinstance(found, Channel):
        raise mq_error(C.MQRCCF_CHANNEL_NOT_FOUND, command.name, "there is no channel of this name")
    context.need(C.MQOT_CHANNEL, command.name, needed)
    return found


def _message_channel(context: Context, command: Command) -> MessageChannel:
    found = _channel(context, command, C.MQAUTH_CONTROL_EXTENDED)
    if not isinstance(found, MessageChannel):
        raise _unsuitable(command, found, "its other end is no queue manager")
    return found


def _unsuitable(command: Command, found: Channel, why: str) -> Exception:
    return mq_error(
        C.MQRCCF_CHANNEL_TYPE_ERROR, command.name, f"{command.spec.words} is not for a {found.kind}, because {why}"
    )


def _cannot_run(command: Command, found: Channel) -> Outcome | None:
    """For the types that nothing here runs."""
    if isinstance(found, _RUNNABLE):
        return None
    if isinstance(found, MessageChannel):
        return not_there_yet(f"{command.spec.words}({command.name})", CLUSTERS)
    if found.kind == "AMQP":
        return not_there_yet(f"{command.spec.words}({command.name})", "AMQP")
    raise _unsuitable(command, found, "it runs in clients")


def is_running(context: Context, name: str) -> bool:
    return any(one.channel == name and one.status not in AT_REST for one in context.operations.channel_instances())


def check_at_rest(context: Context, name: str) -> None:
    if is_running(context, name):
        raise mq_error(C.MQRCCF_CHANNEL_IN_USE, name, "it runs; STOP CHANNEL first")


# What runs


def _accepted(context: Context, outcome: Outcome) -> Outcome:
    """A state that is kept over a restart is on disk before anybody hears of it."""
    outcome.lsn = context.manager.last_lsn
    return outcome


def start_channel(context: Context, command: Command) -> Outcome:
    if (refused := _cannot_run(command, _channel(context, command))) is not None:
        return refused
    return _accepted(context, unless_so_already(command, lambda: context.operations.start_channel(command.name)))


def stop_channel(context: Context, command: Command) -> Outcome:
    found = _channel(context, command)
    if (refused := _cannot_run(command, found)) is not None:
        return refused
    address, partner = word(command, options.CONNAME), word(command, options.QMNAME)
    some = bool(address or partner)
    after = number(command, options.STATUS_AFTER, C.MQCHS_INACTIVE if some else C.MQCHS_STOPPED)
    mode = number(command, options.MODE, C.MQMODE_QUIESCE)
    if some and after == C.MQCHS_STOPPED:
        detail = "STATUS(STOPPED) is for all instances of a channel; with CONNAME or QMNAME use STATUS(INACTIVE)"
        raise mq_error(C.MQRCCF_PARM_CONFLICT, command.name, detail)

    def request() -> None:
        if partner and isinstance(found, ServerConnection):
            raise mq_error(C.MQRCCF_CHANNEL_NOT_ACTIVE, command.name, "at its other end are clients, no queue managers")
        stopped = context.operations.stop_channel(
            command.name, mode, after=after, connection_name=address, partner=partner
        )
        if not stopped and after == C.MQCHS_INACTIVE:
            raise mq_error(C.MQRCCF_CHANNEL_NOT_ACTIVE, command.name, "no instance of it runs")

    return _accepted(context, unless_so_already(command, request))


def ping_channel(context: Context, command: Command) -> Outcome:
    """PING CHANNEL: data to the other end and back. The outcome comes over the network."""
    found = _channel(context, command)
    if not isinstance(found, Sender | Server):
        if isinstance(found, MessageChannel) and (refused := _cannot_run(command, found)) is not None:
            return refused
        raise mq_error(C.MQRCCF_PING_ERROR, command.name, f"a {found.kind} does not send; ping a SDR or a SVR")
    if not found.conname:
        raise mq_error(C.MQRCCF_PING_ERROR, command.name, "it has no CONNAME to call")
    check_at_rest(context, command.name)
    length = number(command, options.DATALEN, _PING_BYTES)
    pending: Pending[Outcome] = Pending()

    def ended(message: AmqMessage | None) -> None:
        if message is None:
            pending.complete(done(command, 0, command.name))
        else:
            reason = _REASONS.get(message.number, C.MQRCCF_PING_ERROR)
            pending.complete(Outcome([message], reason=reason, comp_code=C.MQCC_FAILED))

    context.operations.ping_channel(command.name, bytes(at & 0xFF for at in range(length)), ended)
    return Outcome(pending=pending)


def start_initiator(context: Context, command: Command) -> Outcome:
    context.need(C.MQOT_Q_MGR, context.manager.name, C.MQAUTH_CHANGE)
    context.operations.start_initiator(word(command, options.INITQ))
    return done(command, 0)


# What is kept


def reset_channel(context: Context, command: Command) -> Outcome:
    """RESET CHANNEL: a sending end tells the other one when the channel starts; a receiving end is on its own.

    All partners of the channel are meant, as far as the transmission queue is that of today.
    """
    found = _message_channel(context, command)
    if (refused := _cannot_run(command, found)) is not None:
        return refused
    following = number(command, options.SEQNUM, 1)
    if following > found.seqwrap:
        detail = f"SEQNUM({following}): the numbers of the channel go up to SEQWRAP({found.seqwrap})"
        raise mq_error(C.MQRCCF_MSG_SEQ_NUMBER_ERROR, command.name, detail)
    check_at_rest(context, command.name)
    sends = isinstance(found, Sender | Server)
    role, xmitq = (SENDER, found.xmitq) if isinstance(found, Sender | Server) else (RECEIVER, "")
    partners = [one.partner for one in context.manager.channel_records.syncs_of(found.name, role) if one.xmitq == xmitq]
    if "" not in partners and (sends or not partners):
        partners.append("")  # whoever is the first to come, if the channel never ran or leads elsewhere by now
    context.manager.channel_records.check_certain(role, found.name)
    positions = [
        channel_batches.reset_sequence(context.manager, role, found.name, partner, xmitq, next_sequence=following)
        for partner in partners
    ]
    return done(command, max(positions))


def resolve_channel(context: Context, command: Command) -> Outcome:
    """RESOLVE CHANNEL: what an operator has learned from the other end.

    Should more than one batch be in doubt, COMMIT is about the oldest: the others may not have arrived. BACKOUT is
    about all: where one did not arrive, none behind it did.
    """
    found = _message_channel(context, command)
    if isinstance(found, Receiver | Requester):
        raise _unsuitable(command, found, "only a sending end can be in doubt")
    if (refused := _cannot_run(command, found)) is not None:
        return refused
    check_at_rest(context, command.name)
    waiting = context.manager.channel_records.in_doubt(found.name)
    if not waiting:
        raise mq_error(C.MQRCCF_COMMAND_FAILED, found.name, f"channel {found.name} is not in doubt; nothing to resolve")
    commit = number(command, options.RESOLVE_ACTION) == C.MQIDO_COMMIT
    # Backwards, so that the messages are in their places again
    batches = waiting[:1] if commit else reversed(waiting)
    return done(command, max(channel_batches.resolve(context.manager, one, commit) for one in batches))


HANDLERS: dict[tuple[str, str], Callable[[Context, Command], Outcome]] = {
    ("START", "CHANNEL"): start_channel,
    ("STOP", "CHANNEL"): stop_channel,
    ("PING", "CHANNEL"): ping_channel,
    ("RESET", "CHANNEL"): reset_channel,
    ("RESOLVE", "CHANNEL"): resolve_channel,
    ("START", "CHINIT"): start_initiator,
}
