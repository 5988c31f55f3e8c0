"""`with qm.transaction():` a unit of work of the thread that is in it."""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from libremq.client.session import Session
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

if TYPE_CHECKING:
    from libremq.client.queue_manager import QueueManager


class Transaction:
    """Commits when the block ends, backs out when it ends with an exception.

    Until the commit nobody else sees what was put, and what was got comes back if it is backed out, by an exception,
    a crash or a power cut alike, with its backout count raised. `commit` and `backout` end the unit of work earlier;
    what follows in the block begins the next one.

    On a connection that reconnects, UnitOfWorkBackedOut says that nothing was done: do it again. ConnectionBroken with
    MQRC_CALL_INTERRUPTED from the commit says that all of it was done or nothing, and nobody knows which: look before
    you do it again. Neither is ever repeated for you.
    """

    def __init__(self, manager: QueueManager) -> None:
        self._manager = manager
        self._session: Session | None = None

    def __enter__(self) -> Transaction:
        session = self._manager._session()
        if session.transaction is not None or session.branch is not None:
            raise mq_error(
                C.MQRC_UOW_IN_PROGRESS,
                self._manager.name,
                "this thread is in a transaction already; there is no transaction inside another one",
            )
        session.transaction = self
        self._session = session
        return self

    def _own_session(self) -> Session:
        session = self._session
        if session is None:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, self._manager.name, "the transaction is not under way")
        if self._manager._session() is not session:
            raise mq_error(
                C.MQRC_UOW_NOT_AVAILABLE, self._manager.name, "a transaction belongs to the thread that began it"
            )
        return session

    def commit(self) -> None:
        """Commit what was put and got so far; on disk when this returns."""
        self._own_session().binding.commit()

    def backout(self) -> None:
        """Undo what was put and got since the last commit."""
        self._own_session().binding.backout()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        session = self._session
        try:
            session = self._own_session()
            if error is None:
                session.binding.commit()
            else:
                session.binding.backout()
        except MQError as problem:
            if error is None:
                raise
            # The connection is lost, and with it the unit of work is backed out; the first error is the one to hear of
            error.add_note(f"the backout could not be confirmed: {problem}")
        except BaseException:
            # An interrupt. If it came after the commit there is nothing left to back out
            if session is not None:
                with suppress(MQError):
                    session.binding.backout()
            raise
        finally:
            self._session = None
            if session is not None:
                session.transaction = None
