"""Batches of message channels: units of work that end at two queue managers or at none.

A sending agent gets messages under a batch, prepares it, and asks its partner to confirm. From then on the batch is in
doubt: it survives a restart as any prepared unit of work does, and its XID says all that resynchronisation asks for.
The answer commits it, and the sync record with it, in one log record; a receiving agent commits messages and record in
the same way. The next batch may begin while one waits for its answer.

Batches of non-persistent messages alone are prepared and committed in the log too. Their messages need no log, but
their sequence numbers do: if one end forgot in a crash what the other has counted, the two would never agree again, and
an operator would have to reset the channel. Messages without a sequence number (NPMSPEED(FAST)) are in no batch.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from libremq.kernel.objects.channel_sync_record import NO_LUWID, SENDER, SEQUENCE_MAX, ChannelSync, sync_key
from libremq.kernel.state import object_changes
from libremq.kernel.state.batch_identity import BatchIdentity
from libremq.kernel.state.connection import Connection
from libremq.kernel.state.core import Core
from libremq.kernel.state.unit_of_work import PREPARED, UnitOfWork
from libremq.kernel.state.verb_result import Answer
from libremq.kernel.verb_calls import VerbCalls, connection_verb, verb
from libremq.log import LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error


@dataclass(eq=False)
class Batch:
    """A batch of a sending agent, from its beginning to its end."""

    connection: Connection
    began: BatchIdentity
    unit: UnitOfWork = field(repr=False)

    def __post_init__(self) -> None:
        self.luwid = bytes.fromhex(self.began.luwid)
        self._last = self.began.last

    def sent(self, sequence: int) -> None:
        """A message has gone out with this sequence number."""
        self._last = sequence

    @property
    def identity(self) -> BatchIdentity:
        return self.began if self._last == self.began.last else replace(self.began, last=self._last)

    @property
    def is_prepared(self) -> bool:
        return self.unit.state == PREPARED


# The sending agent


@verb
def begin(manager: VerbCalls, connection: Connection, identity: BatchIdentity) -> Batch:
    """Gets under syncpoint of this connection belong to the batch from now on, until it is prepared or backed out.

    An earlier batch of the connection may be prepared and wait for its answer.
    """
    core = manager.core
    identity.sync("", 0).check()
    if not 0 <= identity.first <= SEQUENCE_MAX:
        raise mq_error(C.MQRCCF_ATTR_VALUE_ERROR, identity.channel, f"a batch cannot begin with {identity.first}")
    if _was_lost(core, connection):
        raise _lost(identity)
    if connection.xa_unit is not None or (connection.unit is not None and connection.unit.operations):
        raise mq_error(C.MQRC_UOW_IN_PROGRESS, identity.channel, "the connection has a unit of work already")
    if any(one.luwid == identity.luwid for one in in_doubt(core)):
        raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, identity.channel, f"a batch {identity.luwid} is in doubt already")
    connection.xa_unit = core.begin_unit()
    return Batch(connection, identity, connection.xa_unit)


@connection_verb
def prepare(manager: VerbCalls, batch: Batch) -> Answer[int]:
    """Put the batch in doubt. The question to the partner may leave when the log is on disk up to this position.

    No get of the batch may be waiting for a message any more. MQRC_BACKED_OUT if the batch had to give way in a log
    that was full: its messages are on the queue again.
    """
    core, unit = manager.core, batch.unit
    _check_there(core, batch)
    if batch.is_prepared:
        raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, batch.identity.channel, "the batch is prepared already")
    identity = batch.identity  # it was good when the batch began: the number alone is new
    if not 0 <= identity.last <= SEQUENCE_MAX:
        raise mq_error(C.MQRCCF_ATTR_VALUE_ERROR, identity.channel, f"a batch cannot end with {identity.last}")
    lsn = core.prepare(unit, identity.xid)
    batch.connection.xa_unit = None
    return lsn, lsn, batch.connection


@connection_verb
def commit(manager: VerbCalls, batch: Batch, sync: ChannelSync) -> Answer[int]:
    """The partner has the batch: its messages are gone, and the record says so, both or neither."""
    core, identity = manager.core, batch.identity
    _check_there(core, batch)
    if not batch.is_prepared:
        raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, identity.channel, "the batch is not prepared: the partner may lack it")
    if (sync.key, sync.luwid, sync.sequence) != (identity.key, identity.luwid, identity.last):
        raise ValueError(f"{sync!r} with {sync.luwid}, {sync.sequence} is not the sync record of {identity}")
    lsn = max(core.commit(batch.unit, sync), _no_other_first(core, sync))
    return lsn, lsn, batch.connection


@connection_verb
def commit_unsent(manager: VerbCalls, batch: Batch) -> Answer[int]:
    """End a batch of which nothing was sent, so that nobody has to confirm it: its messages went elsewhere here."""
    core, connection = manager.core, batch.connection
    _check_there(core, batch)
    lsn = core.commit(batch.unit)
    connection.xa_unit = None
    return lsn, lsn, connection


@connection_verb
def back_out(manager: VerbCalls, batch: Batch) -> Answer[int]:
    """The messages are on the transmission queue again, in their places. Also for one that had to give way before."""
    core, connection = manager.core, batch.connection
    if core.units.get(batch.unit.id) is not batch.unit:
        if batch.is_prepared:
            raise _resolved(batch.identity)
        _was_lost(core, connection)
        return 0, 0, connection
    lsn = core.backout(batch.unit)
    if connection.xa_unit is batch.unit:
        connection.xa_unit = None
    return lsn, lsn, connection


def _check_there(core: Core, batch: Batch) -> None:
    if core.units.get(batch.unit.id) is not batch.unit:
        if batch.is_prepared:
            raise _resolved(batch.identity)
        _was_lost(core, batch.connection)
        raise _lost(batch.identity)


def _was_lost(core: Core, connection: Connection) -> bool:
    """Did the queue manager back the batch out that was under way? Then nothing is left of it from here on."""
    if not connection.backed_out:
        return False
    if connection.unit is not None:  # what a get that waited has brought since
        core.backout(connection.unit)
        connection.unit = None
    connection.backed_out = False
    return True


def _lost(identity: BatchIdentity) -> MQError:
    return mq_error(
        C.MQRC_BACKED_OUT, identity.channel, "the queue manager backed the batch out to free log space; send it again"
    )


def _resolved(identity: BatchIdentity) -> MQError:
    return mq_error(C.MQRC_UOW_NOT_AVAILABLE, identity.channel, f"batch {identity.luwid} was ended already")


# The receiving agent


@connection_verb
def commit_received(manager: VerbCalls, connection: Connection, sync: ChannelSync) -> Answer[int]:
    """Commit what the connection has put under syncpoint, with the record of the batch that it was.

    The answer to the partner may leave when the log is on disk up to this position. MQRC_BACKED_OUT if the puts had to
    give way in a log that was full: nothing of the batch is here.
    """
    core = manager.core
    if _was_lost(core, connection):
        raise mq_error(C.MQRC_BACKED_OUT, sync.channel, "the queue manager backed the batch out to release log space")
    if connection.xa_unit is not None:
        raise mq_error(C.MQRC_UOW_IN_PROGRESS, sync.channel, "the connection is in a batch that it sends")
    unit = connection.unit or core.begin_unit()
    try:
        lsn = core.commit(unit, sync)
    except BaseException:
        if unit is not connection.unit and unit.id in core.units:
            core.backout(unit)
        raise
    connection.unit = None
    lsn = max(lsn, _no_other_first(core, sync))
    return lsn, lsn, connection


def _no_other_first(core: Core, sync: ChannelSync) -> int:
    """The first partner has come that a reset was waiting for: it is for no other."""
    key = sync_key(sync.role, sync.channel, "", sync.xmitq)
    if key not in core.catalogue.channel_syncs:
        return 0
    try:
        return object_changes.remove_record(core, sync.kind, key)
    except LogFull:  # the batch is committed, and must not be tried again; the next one comes here too
        return 0


# What is there, also after a restart


def in_doubt(core: Core, channel: str = "", partner: str = "", xmitq: str = "") -> list[BatchIdentity]:
    """The batches that wait for an answer, the oldest first: all, or those of one channel, partner, queue."""
    return [
        identity
        for identity, _ in _batches(core)
        if channel in ("", identity.channel) and partner in ("", identity.partner) and xmitq in ("", identity.xmitq)
    ]


def _batches(core: Core) -> list[tuple[BatchIdentity, UnitOfWork]]:
    found = [unit for unit in core.units.values() if unit.state == PREPARED and unit.is_batch]
    return [(BatchIdentity.of_xid(unit.xid), unit) for unit in sorted(found, key=lambda one: one.id)]


def sync_of(core: Core, role: str, channel: str, partner: str, xmitq: str = "") -> ChannelSync | None:
    """The record of the last batch, or a reset that waits for the first partner; None if there never was one."""
    known = core.catalogue.channel_syncs
    return known.get(sync_key(role, channel, partner, xmitq)) or known.get(sync_key(role, channel, "", xmitq))


def syncs_of(core: Core, channel: str, role: str = "") -> list[ChannelSync]:
    """The records of a channel: one for each partner that it was connected with, and what waits for the first one."""
    records = core.catalogue.channel_syncs.values()
    return [one for one in records if one.channel == channel and role in ("", one.role)]


def pending_reset(core: Core, channel: str, xmitq: str) -> ChannelSync | None:
    """What RESET CHANNEL has set at a sending end, if the other end has not followed yet."""
    return next((one for one in syncs_of(core, channel, SENDER) if one.xmitq == xmitq and one.reset), None)


def messages_of(core: Core, identity: BatchIdentity) -> int:
    """How many messages are in a batch that is in doubt."""
    return sum(len(unit.operations) for found, unit in _batches(core) if found == identity)


# Commands


@verb
def resolve(manager: VerbCalls, identity: BatchIdentity, commit: bool, conname: str = "") -> int:
    """End a batch that is in doubt, as the partner has said, or an operator (RESOLVE CHANNEL).

    Commit: its messages are gone, and the sync record says that it was the last batch. Backout: they are on the queue
    again, and the record stays as it is.
    """
    core = manager.core
    for found, unit in _batches(core):
        if found == identity:
            if not commit:
                return core.backout(unit)
            before = core.catalogue.channel_syncs.get(identity.key)
            where, fresh = (before.conname, bool(before.fresh)) if before is not None else ("", False)
            sync = identity.sync(conname or where, core.clock.now(), fresh=fresh)
            return max(core.commit(unit, sync), _no_other_first(core, sync))
    raise _resolved(identity)


@verb
def reset_sequence(
    manager: VerbCalls, role: str, channel: str, partner: str, xmitq: str = "", *, next_sequence: int,
    conname: str = "", fresh: bool = False,
) -> int:  # fmt: skip
    """RESET CHANNEL SEQNUM: the next message has this number. Refused at a sending end with a batch in doubt.

    At a sending end it is noted that the partner has to follow. Without a partner the number is for the first one that
    comes. `fresh`: the partner has asked for it, and shown that it is there. The command forgets whether it ever has.
    """
    core = manager.core
    if not 1 <= next_sequence <= SEQUENCE_MAX:
        raise mq_error(C.MQRCCF_ATTR_VALUE_ERROR, channel, f"SEQNUM({next_sequence}): use 1 to {SEQUENCE_MAX}")
    check_certain(core, role, channel, partner, xmitq)
    before = core.catalogue.channel_syncs.get(sync_key(role, channel, partner, xmitq))
    return object_changes.install_record(
        core,
        ChannelSync.make(
            role,
            channel,
            partner,
            xmitq,
            luwid=NO_LUWID if before is None or role == SENDER else before.luwid,
            sequence=next_sequence - 1,
            now=core.clock.now(),
            conname=conname or (before.conname if before is not None else ""),
            reset=next_sequence if role == SENDER else 0,
            fresh=fresh,
        ),
    )


@verb
def followed(manager: VerbCalls, sync: ChannelSync) -> int:
    """The other end has followed a RESET CHANNEL: this is what both have now."""
    lsn = object_changes.install_record(manager.core, sync)
    return max(lsn, _no_other_first(manager.core, sync))


@verb
def forget(manager: VerbCalls, sync: ChannelSync) -> int:
    """Take a record out, of a channel that is no more. Refused at a sending end with a batch in doubt."""
    check_certain(manager.core, sync.role, sync.channel, sync.partner, sync.xmitq)
    return object_changes.remove_record(manager.core, sync.kind, sync.key)


def check_certain(core: Core, role: str, channel: str, partner: str = "", xmitq: str = "") -> None:
    """MQRCCF_CHANNEL_INDOUBT if it is a sending end, and waits for the answer to a batch."""
    if role == SENDER and (waiting := in_doubt(core, channel, partner, xmitq)):
        raise mq_error(
            C.MQRCCF_CHANNEL_INDOUBT, channel,
            f"{waiting[0].words}: start the channel, or end that with RESOLVE CHANNEL",
        )  # fmt: skip
