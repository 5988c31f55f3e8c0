"""Two-phase commit by XID, for transaction managers and for those who coordinate by hand.

with qm.xa.branch(xid):
    queue.put("part of something larger")
qm.xa.prepare(xid)      # from here on it survives everything, undecided
qm.xa.commit(xid)       # or rollback; by anyone who knows the XID, also after a restart
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from libremq.mqi import constants as C
from libremq.mqi.argument_errors import wrong_type
from libremq.mqi.errors import MQError, mq_error

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager


class XA:
    """The verbs of a transaction manager. An XID is 1 to 140 bytes that nobody else uses."""

    def __init__(self, manager: QueueManager) -> None:
        self._manager = manager

    @contextmanager
    def branch(self, xid: bytes) -> Iterator[None]:
        """Puts and gets of this thread in the block belong to the branch. An exception rolls it back."""
        self.start(xid)
        try:
            yield
        except BaseException:
            self.end(xid)
            self.rollback(xid)
            raise
        self.end(xid)

    def start(self, xid: bytes) -> None:
        """Begin a branch, or join one that was ended and not prepared."""
        session = self._manager._session()
        if session.syncpoint:
            raise mq_error(C.MQRC_UOW_IN_PROGRESS, self._manager.name, "this thread is in a transaction already")
        session.binding.xa_start(self._checked(xid))
        session.branch = xid

    def end(self, xid: bytes) -> None:
        """This thread is done with the branch; it still has to be prepared and decided."""
        session = self._manager._session()
        try:
            session.binding.xa_end(self._checked(xid))
        except MQError as error:
            if error.reason == C.MQRC_BACKED_OUT:
                session.branch = None  # there is nothing left to end
            raise
        session.branch = None

    def prepare(self, xid: bytes) -> None:
        """First phase: when this returns, the branch can be committed whatever happens."""
        self._manager._session().binding.xa_prepare(self._checked(xid))

    def commit(self, xid: bytes, *, one_phase: bool = False) -> None:
        """Second phase; `one_phase` commits a branch that was not prepared."""
        self._manager._session().binding.xa_commit(self._checked(xid), one_phase=one_phase)

    def rollback(self, xid: bytes) -> None:
        self._manager._session().binding.xa_rollback(self._checked(xid))

    def recover(self) -> list[bytes]:
        """The XIDs that are prepared and not decided."""
        return self._manager._session().binding.xa_recover()

    def forget(self, xid: bytes) -> None:
        """Forget a branch that was decided; refused while it is in doubt."""
        self._manager._session().binding.xa_forget(self._checked(xid))

    def _checked(self, xid: bytes) -> bytes:
        if not isinstance(xid, bytes):
            raise wrong_type(C.MQRC_UOW_NOT_AVAILABLE, self._manager.name, f"an XID is bytes, not {xid!r}")
        return xid
