"""Two-phase commit for transaction managers: branches by XID, prepared ones kept until somebody decides.

A branch belongs to the user that began it, also after a restart: nobody else sees it, joins it or decides about it, but
administrators (privileged connections), who must be able to when its transaction manager never will: rsvmqtrn. What
they have decided is told to that user alone, and kept until it forgets the branch. One that is in doubt in the log of a
release that kept no owner is the administrators'.
"""

from __future__ import annotations

from libremq.common.messages.amq_messages import amq
from libremq.kernel.objects.object_types import HeuristicOutcome
from libremq.kernel.state import object_changes
from libremq.kernel.state.connection import Connection
from libremq.kernel.state.core import Core
from libremq.kernel.state.known_branches import UNFINISHED_MAX
from libremq.kernel.state.unit_of_work import ACTIVE, BATCH_XID, PREPARED, UnitOfWork
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error
from libremq.mqi.xid import XID_BYTES_MAX


class Branches:
    """The branches that a transaction manager has begun and not ended, by XID.

    What prepares or decides a branch returns the log position that the answer depends on.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def _check_owner(self, connection: Connection, xid: bytes, owner: str) -> None:
        """Refused, not denied that it is there: a transaction manager that heard so would take it for decided."""
        if not _may_decide(connection, owner):
            lacks = f"the name of {owner!r}, who began it" if owner else "the privilege of an administrator"
            self._core.say(amq(8077, connection.user, xid.hex(), "XA branch", lacks))
            raise mq_error(
                C.MQRC_NOT_AUTHORIZED, xid.hex(),
                "another user began this branch; only that user and administrators may join it or decide about it",
            )  # fmt: skip

    def _was_rolled_back(self, connection: Connection, xid: bytes) -> bool:
        """Has the queue manager rolled it back while nobody was in it? Its transaction manager hears it once."""
        branches = self._core.branches
        owner = branches.who_was_rolled_back(xid)
        if owner is None:
            return False
        self._check_owner(connection, xid, owner)
        branches.forget_rolled_back(xid, owner)
        return True

    def _check_rolled_back(self, connection: Connection, xid: bytes) -> None:
        if self._was_rolled_back(connection, xid):
            raise mq_error(
                C.MQRC_BACKED_OUT, xid.hex(), "the queue manager rolled the branch back to release log space"
            )

    def _find(self, connection: Connection, xid: bytes) -> UnitOfWork:
        self._check_rolled_back(connection, xid)
        unit, outcome = self._core.branches.find(xid), self._outcome(xid)
        if unit is not None:
            self._check_owner(connection, xid, unit.owner)
        elif outcome is not None:
            self._check_owner(connection, xid, outcome.owner)
        return self._unit(xid)

    def _outcome(self, xid: bytes) -> HeuristicOutcome | None:
        return self._core.catalogue.heuristic_outcomes.get(xid.hex())

    def _unit(self, xid: bytes) -> UnitOfWork:
        unit, outcome = self._core.branches.find(xid), self._outcome(xid)
        if unit is not None:
            return unit
        if outcome is not None:
            what = "committed (XA_HEURCOM)" if outcome.is_committed else "backed out (XA_HEURRB)"
            raise mq_error(C.MQRC_OUTCOME_MIXED, xid.hex(), f"an administrator decided that the branch is {what}")
        raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), "no unit of work has this XID (XAER_NOTA)")

    def start(self, connection: Connection, xid: bytes) -> None:
        """Puts and gets under syncpoint belong to this branch until `end`; joins one that was begun before."""
        if not 0 < len(xid) <= XID_BYTES_MAX:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), f"an XID has 1 to {XID_BYTES_MAX} bytes")
        if xid.startswith(BATCH_XID):
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), "an XID that begins like this is a message channel's")
        if connection.xa_unit is not None or connection.unit is not None:
            raise mq_error(C.MQRC_UOW_IN_PROGRESS, xid.hex(), "the connection has a unit of work already")
        self._check_rolled_back(connection, xid)
        branches = self._core.branches
        unit, outcome = branches.find(xid), self._outcome(xid)
        if unit is not None:
            self._check_owner(connection, xid, unit.owner)
            if unit.state != ACTIVE or unit.is_in_use:
                raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), "the branch is prepared or in use elsewhere")
            connection.xa_unit, unit.connection = unit, connection
            return
        if outcome is not None:
            self._check_owner(connection, xid, outcome.owner)
            what = "an administrator decided a branch with this XID; forget that first (XAER_DUPID)"
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), what)
        if not branches.has_room(connection.user):
            what = f"user {connection.user!r} has {UNFINISHED_MAX} branches that are not decided: decide some first"
            raise mq_error(C.MQRC_RESOURCE_PROBLEM, xid.hex(), what)
        unit = self._core.begin_unit()
        unit.xid, unit.owner = xid, connection.user
        branches.add(unit)
        connection.xa_unit, unit.connection = unit, connection

    def end(self, connection: Connection, xid: bytes) -> None:
        if connection.backed_out:
            if connection.unit is not None:  # what a get that waited has brought since
                self._core.backout(connection.unit)
                connection.unit = None
            connection.backed_out = False
            connection.xa_unit = None  # still there if the log had no room for all of the backout
            raise mq_error(
                C.MQRC_BACKED_OUT, xid.hex(), "the queue manager rolled the branch back to release log space"
            )
        if connection.xa_unit is None or connection.xa_unit.xid != xid:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), "the connection did not start this branch")
        connection.xa_unit = None

    def _ended(self, connection: Connection, xid: bytes) -> UnitOfWork:
        unit = self._find(connection, xid)
        if unit.is_in_use:
            raise mq_error(C.MQRC_UOW_IN_PROGRESS, xid.hex(), "end the branch before it is prepared or decided")
        return unit

    def prepare(self, connection: Connection, xid: bytes) -> int:
        unit = self._ended(connection, xid)
        if unit.state == PREPARED:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), "the branch is prepared already")
        return self._core.prepare(unit, xid)

    def commit(self, connection: Connection, xid: bytes, *, one_phase: bool = False) -> int:
        unit = self._ended(connection, xid)
        if unit.state != PREPARED and not one_phase:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), "the branch is not prepared (XAER_PROTO)")
        self.forget_decided(xid)
        return self._core.commit(unit)

    def rollback(self, connection: Connection, xid: bytes) -> int:
        if self._was_rolled_back(connection, xid):
            return 0  # it is what the queue manager has done already
        unit = self._ended(connection, xid)
        self.forget_decided(xid)
        return self._core.backout(unit)

    def recover(self, connection: Connection, *, decided: bool = False) -> list[bytes]:
        """The XIDs that are in doubt, of those that the connection may decide about.

        If wanted, also those of its own that an administrator has decided.
        """
        found = [unit.xid for unit in self._core.prepared_units() if _may_decide(connection, unit.owner)]
        if decided:
            found += [bytes.fromhex(one.xid) for one in self.outcomes() if _may_decide(connection, one.owner)]
        return found

    def forget(self, connection: Connection, xid: bytes) -> int:
        """Keep nothing of a branch that was decided; one that is still in doubt is not forgotten."""
        unit, outcome = self._core.branches.find(xid), self._outcome(xid)
        if unit is not None:
            self._check_owner(connection, xid, unit.owner)
        if unit is not None and unit.state == PREPARED:
            raise mq_error(C.MQRC_UOW_IN_PROGRESS, xid.hex(), "it is in doubt: commit it or roll it back")
        if outcome is not None:
            self._check_owner(connection, xid, outcome.owner)
        return self.forget_decided(xid)

    # What an administrator decides, because the transaction manager does not

    def forget_decided(self, xid: bytes) -> int:
        """Also what a crash has left of a decision that was not carried out, once somebody else decides."""
        if xid.hex() not in self._core.catalogue.heuristic_outcomes:
            return 0
        return object_changes.remove_record(self._core, HeuristicOutcome.kind, xid.hex())

    def resolve(self, xid: bytes, *, commit: bool) -> int:
        """Decide a branch that is in doubt, and keep that, for its transaction manager to hear of.

        What is kept is logged first: should it be all that a crash leaves, the branch is still in doubt.
        """
        unit = self._unit(xid)
        if unit.state != PREPARED:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), "the branch is not prepared: there is nothing in doubt")
        object_changes.install_record(self._core, HeuristicOutcome.make(xid, unit.id, unit.owner, committed=commit))
        return self._core.commit(unit) if commit else self._core.backout(unit)

    def outcomes(self) -> list[HeuristicOutcome]:
        """What administrators have decided, and nobody has forgotten."""
        in_doubt = {unit.xid.hex() for unit in self._core.prepared_units()}
        known = self._core.catalogue.heuristic_outcomes.values()
        return sorted((one for one in known if one.xid not in in_doubt), key=lambda one: one.tran)


def _may_decide(connection: Connection, owner: str) -> bool:
    return connection.privileged or (bool(owner) and connection.user == owner)
