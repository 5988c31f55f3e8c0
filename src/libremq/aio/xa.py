"""Two-phase commit by XID with asyncio; `libremq.client.xa` says what it is for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from libremq.aio.descriptions import described_by
from libremq.aio.sessions import Sessions, Unit
from libremq.client import xa as client
from libremq.mqi import constants as C
from libremq.mqi.argument_errors import wrong_type
from libremq.mqi.errors import MQError, mq_error


@described_by(client.XA)
class XA:
    """The verbs of a transaction manager. An XID is 1 to 140 bytes that nobody else uses."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    @asynccontextmanager
    async def branch(self, xid: bytes) -> AsyncIterator[None]:
        """Puts and gets of this task in the block belong to the branch. An exception rolls it back."""
        await self.start(xid)
        try:
            yield
        except BaseException:
            await self.end(xid)
            await self.rollback(xid)
            raise
        await self.end(xid)

    async def start(self, xid: bytes) -> None:
        self._checked(xid)
        self._sessions.check_no_unit()
        session = await self._sessions.lease()
        try:
            await session.binding.xa("xa_start", xid)
        except MQError:
            self._sessions.give_back(session)
            raise
        except BaseException:
            self._sessions.discard(session)
            raise
        unit = Unit(self._sessions)
        unit.session, session.unit = session, unit
        unit.begin()

    async def end(self, xid: bytes) -> None:
        """This task is done with the branch; it still has to be prepared and decided."""
        self._checked(xid)
        unit = self._sessions.unit()
        if unit is None or unit.session is None:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, self._sessions.access.name, "this task is in no branch")
        async with unit.lock:
            session = unit.session
            await session.binding.xa("xa_end", xid)
            unit.ended()
            for cursor in unit.cursors:
                cursor.drop()
            self._sessions.give_back(session)

    async def prepare(self, xid: bytes) -> None:
        await self._decide("xa_prepare", xid)

    async def commit(self, xid: bytes, *, one_phase: bool = False) -> None:
        await self._decide("xa_commit", xid, one_phase=one_phase)

    async def rollback(self, xid: bytes) -> None:
        await self._decide("xa_rollback", xid)

    async def recover(self) -> list[bytes]:
        self._sessions.check()
        return await (await self._sessions.common()).binding.xa_recover()

    async def forget(self, xid: bytes) -> None:
        await self._decide("xa_forget", xid)

    async def _decide(self, verb: str, xid: bytes, *, one_phase: bool = False) -> None:
        self._checked(xid)
        self._sessions.check()
        await (await self._sessions.common()).binding.xa(verb, xid, one_phase=one_phase)

    def _checked(self, xid: bytes) -> None:
        if not isinstance(xid, bytes):
            raise wrong_type(C.MQRC_UOW_NOT_AVAILABLE, self._sessions.access.name, f"an XID is bytes, not {xid!r}")
