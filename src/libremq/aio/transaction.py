"""`async with qm.transaction():` a unit of work of the task that is in it."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

from libremq.aio.descriptions import described_by
from libremq.aio.sessions import Session, Sessions, Unit
from libremq.client import transaction as client
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error


@described_by(client.Transaction)
class Transaction:
    """Commits when the block ends, backs out when it ends with an exception, a cancellation too.

    Until the commit nobody else sees what was put, and what was got comes back if it is backed out, with its backout
    count raised. `commit` and `backout` end the unit of work earlier; what follows in the block begins the next one.

    Tasks that are begun inside the block take part until it ends: so do `asyncio.gather`, `asyncio.wait_for` and task
    groups. A task that begins a transaction of its own has a unit of work of its own.

    A commit that was sent is waited for, also if the task is cancelled meanwhile: if it succeeds the block ends as
    usual, and the task is cancelled at its next await. So CancelledError from the block means that it was backed out.
    """

    def __init__(self, sessions: Sessions, session: Session | None = None) -> None:
        self._sessions = sessions
        self._lent = session  # of a consumer, who keeps it
        self._unit: Unit | None = None

    async def __aenter__(self) -> Self:
        self._sessions.check_no_unit()
        unit = self._unit = Unit(self._sessions)
        if self._lent is not None:
            unit.session = self._lent
            self._lent.unit = unit
        unit.begin()
        return self

    def _running(self) -> Unit:
        if self._unit is None or not self._unit.active:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, self._sessions.access.name, "the transaction is not under way")
        return self._unit

    async def commit(self) -> None:
        unit = self._running()
        async with unit.lock:
            if unit.session is not None:
                await unit.session.binding.commit()

    async def backout(self) -> None:
        unit = self._running()
        async with unit.lock:
            if unit.session is not None:
                await unit.session.binding.backout()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        unit = self._running()
        unit.ended()
        interruption = await _alone(unit)
        for cursor in unit.cursors:
            cursor.drop()
        session = unit.session
        try:
            if session is None:
                pass
            elif error is None and interruption is None:
                await session.binding.commit()
            else:
                await self._backout(session, error)
        except MQError as problem:
            if problem.reason != C.MQRC_BACKED_OUT and session is not None:
                self._sessions.discard(session)
            raise
        finally:
            unit.session = None
            if session is not None:
                session.unit = None
                if self._lent is None:
                    self._sessions.give_back(session)
            unit.lock.release()
        if interruption is not None and error is None:
            raise interruption

    async def _backout(self, session: Session, error: BaseException | None) -> None:
        try:
            await session.binding.backout()
        except MQError as problem:
            # The connection is lost, and with it the unit of work is backed out; the first error is the one to hear of
            if error is not None:
                error.add_note(f"the backout could not be confirmed: {problem}")
            self._sessions.discard(session)


async def _alone(unit: Unit) -> asyncio.CancelledError | None:
    """Wait for the calls that other tasks are still making in the unit of work; a get that waits ends."""
    interruption: asyncio.CancelledError | None = None
    if unit.lock.locked() and unit.session is not None:
        unit.session.binding.end_wait(
            mq_error(C.MQRC_UOW_NOT_AVAILABLE, detail="the transaction ended while the get waited")
        )
    while True:
        try:
            await unit.lock.acquire()
            return interruption
        except asyncio.CancelledError as error:
            interruption = error
