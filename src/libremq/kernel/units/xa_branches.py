"""Two-phase commit for transaction managers: branches by XID, prepared ones kept until somebody decides."""

from __future__ import annotations

from libremq.kernel.state.connection import Connection
from libremq.kernel.state.core import Core
from libremq.kernel.state.unit_of_work import ACTIVE, BATCH_XID, PREPARED, UnitOfWork
from libremq.mqi import constants as C
from libremq.mqi.errors import mq_error

XID_BYTES_MAX = 140  # format id, two lengths, global transaction id and branch qualifier of 64 bytes each


class Branches:
    """The branches that a transaction manager has begun and not ended, by XID.

    What prepares or decides a branch returns the log position that the answer depends on.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    def _check_rolled_back(self, xid: bytes) -> None:
        """Tell the transaction manager of a branch that the queue manager has rolled back while nobody was in it."""
        if xid in self._core.rolled_back:
            self._core.rolled_back.remove(xid)
            raise mq_error(
                C.MQRC_BACKED_OUT, xid.hex(), "the queue manager rolled the branch back to release log space"
            )

    def _find(self, xid: bytes) -> UnitOfWork:
        self._check_rolled_back(xid)
        for unit in self._core.units.values():
            if unit.xid == xid and not unit.is_batch:
                return unit
        raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), "no unit of work has this XID (XAER_NOTA)")

    def start(self, connection: Connection, xid: bytes) -> None:
        """Puts and gets under syncpoint belong to this branch until `end`; joins one that was begun before."""
        if not 0 < len(xid) <= XID_BYTES_MAX:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), f"an XID has 1 to {XID_BYTES_MAX} bytes")
        if xid.startswith(BATCH_XID):
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), "an XID that begins like this is a message channel's")
        if connection.xa_unit is not None or connection.unit is not None:
            raise mq_error(C.MQRC_UOW_IN_PROGRESS, xid.hex(), "the connection has a unit of work already")
        self._check_rolled_back(xid)
        for unit in self._core.units.values():
            if unit.xid == xid:
                if unit.state != ACTIVE or any(other.xa_unit is unit for other in self._core.connections.values()):
                    raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), "the branch is prepared or in use elsewhere")
                connection.xa_unit = unit
                return
        unit = self._core.begin_unit()
        unit.xid = xid
        connection.xa_unit = unit

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

    def _ended(self, xid: bytes) -> UnitOfWork:
        unit = self._find(xid)
        if any(connection.xa_unit is unit for connection in self._core.connections.values()):
            raise mq_error(C.MQRC_UOW_IN_PROGRESS, xid.hex(), "end the branch before it is prepared or decided")
        return unit

    def prepare(self, xid: bytes) -> int:
        unit = self._ended(xid)
        if unit.state == PREPARED:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), "the branch is prepared already")
        return self._core.prepare(unit, xid)

    def commit(self, xid: bytes, *, one_phase: bool = False) -> int:
        unit = self._ended(xid)
        if unit.state != PREPARED and not one_phase:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, xid.hex(), "the branch is not prepared (XAER_PROTO)")
        return self._core.commit(unit)

    def rollback(self, xid: bytes) -> int:
        if xid in self._core.rolled_back:
            self._core.rolled_back.remove(xid)  # it is what the queue manager has done already
            return 0
        return self._core.backout(self._ended(xid))

    def recover(self) -> list[bytes]:
        """The XIDs that are in doubt."""
        return [unit.xid for unit in self._core.prepared_units()]

    def forget(self, xid: bytes) -> None:
        """Nothing is kept of a branch that was decided; one that is still in doubt is not forgotten."""
        for unit in self._core.prepared_units():
            if unit.xid == xid:
                raise mq_error(C.MQRC_UOW_IN_PROGRESS, xid.hex(), "it is in doubt: commit it or roll it back")
