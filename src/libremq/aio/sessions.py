"""The connections beneath an asyncio QueueManager: who uses which, and for how long.

A put, or a question, is answered at once, so all tasks make theirs over one connection. A get may wait, so it has a
connection for itself while it lasts. A unit of work has one from its first call to its end. What is free again is used
again: first by who has the same queue open there, so that a queue that cannot be shared is not in its own way. Thus
there are as many connections as things that wait at the same time, however many tasks there are.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextvars import ContextVar
from typing import Any

from libremq.aio.binding import Access, Binding
from libremq.client.session import MODES, Handle
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

IDLE_S = 30.0
"""A connection that nobody has used for so long is ended."""
_INPUTS = (C.MQOO_INPUT_AS_Q_DEF, C.MQOO_BROWSE)


class Session:
    """One connection, with the handles it keeps by the serial number of the Queue object and what they are open for."""

    __slots__ = ("binding", "handles", "idle_since", "pins", "unit")

    def __init__(self, binding: Binding) -> None:
        self.binding = binding
        self.handles: dict[tuple[int, int], Handle] = {}
        self.pins: set[int] = set()  # serial numbers of queues that would be lost with their handle here
        self.unit: Unit | None = None
        self.idle_since = 0.0

    @property
    def syncpoint(self) -> bool:
        """Whether puts and gets belong to a unit of work."""
        if self.unit is None:
            return False
        if not self.unit.active:
            raise mq_error(C.MQRC_UOW_NOT_AVAILABLE, detail="the transaction has ended meanwhile")
        return True

    def has_input(self, serial: int) -> bool:
        return any((serial, mode) in self.handles for mode in _INPUTS)

    @property
    def has_inputs(self) -> bool:
        return any(mode in _INPUTS for _, mode in self.handles)

    def taken(self, serial: int) -> list[int]:
        """The handles of a Queue object, which are not kept any more."""
        self.pins.discard(serial)
        found = [self.handles.pop((serial, mode), None) for mode in MODES]
        return [handle.hobj for handle in found if handle is not None]

    def taken_by_name(self, name: str) -> list[int]:
        keys = [key for key, handle in self.handles.items() if handle.name == name and key[0] not in self.pins]
        return [self.handles.pop(key).hobj for key in keys]


class Unit:
    """A unit of work: of the task that began it, and of the tasks that this one began since, until it ends."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions
        self.task = asyncio.current_task()
        self.active = True
        self.lock = asyncio.Lock()  # one call at a time
        self.session: Session | None = None
        self.cursors: list[Any] = []  # browsers, which end with it

    def begin(self) -> None:
        _units.set((self, *_units.get()))

    def ended(self) -> None:
        self.active = False
        _units.set(tuple(unit for unit in _units.get() if unit is not self))


_units: ContextVar[tuple[Unit, ...]] = ContextVar("libremq_units", default=())


def outside_all_units() -> None:
    """The running task takes no part in what the task that began it is in."""
    _units.set(())


class Sessions:
    """All connections of one QueueManager."""

    def __init__(self, access: Access, user: str, application: str) -> None:
        self.access = access
        self.closed = False
        self.orphans: deque[int | tuple[Session, int, bool]] = deque()
        """What finalizers leave to be closed: Queue objects by serial number, browsers."""
        self._user = user
        self._application = application
        self._loop = asyncio.get_running_loop()
        self._all: set[Session] = set()
        self._idle: list[Session] = []  # the latest last
        self._common: Session | None = None
        self._making_common = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None

    def check_loop(self) -> None:
        if asyncio.get_running_loop() is not self._loop:
            raise mq_error(
                C.MQRC_ENVIRONMENT_ERROR, self.access.name, "it was connected in another event loop; connect in this"
            )

    def check(self) -> None:
        """Every call comes through here."""
        if self.closed:
            raise mq_error(C.MQRC_HCONN_ERROR, self.access.name, "the connection was closed; connect again")
        self.check_loop()
        while self.orphans:
            self._close_orphan(self.orphans.popleft())

    def _close_orphan(self, orphan: int | tuple[Session, int, bool]) -> None:
        if isinstance(orphan, int):
            for session in self._all:
                for hobj in session.taken(orphan):
                    session.binding.close_soon(hobj)
        else:
            session, hobj, leased = orphan
            session.binding.close_soon(hobj)
            if leased:
                self.give_back(session)

    # Units of work

    def unit(self) -> Unit | None:
        """The unit of work that the running task is in."""
        for unit in _units.get():
            if unit.sessions is self and unit.active:
                return unit
        return None

    def check_no_unit(self) -> None:
        """Before another unit of work of this task; one of the task that began this one is not in the way."""
        self.check()
        unit = self.unit()
        if unit is not None and unit.task is asyncio.current_task():
            raise mq_error(
                C.MQRC_UOW_IN_PROGRESS,
                self.access.name,
                "this task is in a transaction already; there is no transaction inside another one",
            )

    # For the time of a call

    async def enter(self, serial: int = 0, *, shared: bool) -> Session:
        """A connection for a call on a queue: that of the unit of work, the common one, or one for this call alone."""
        self.check()
        while (unit := self.unit()) is not None:
            await unit.lock.acquire()
            if unit.active:
                try:
                    if unit.session is None:
                        unit.session = await self.lease(serial)
                        unit.session.unit = unit
                except BaseException:
                    unit.lock.release()
                    raise
                return unit.session
            unit.lock.release()
        return await self.common() if shared else await self.lease(serial)

    def leave(self, session: Session) -> None:
        if session.unit is not None:
            session.unit.lock.release()
        elif session is not self._common:
            self.give_back(session)

    async def common(self) -> Session:
        if self._common is None or not self._common.binding.connected:
            async with self._making_common:
                if self._common is None or not self._common.binding.connected:
                    if self._common is not None:
                        self.discard(self._common)
                    self._common = await self._new()
        return self._common

    # For longer

    async def lease(self, serial: int = 0) -> Session:
        """A connection that nobody else uses until it is given back."""
        for session in [session for session in self._idle if not session.binding.connected]:
            self._idle.remove(session)
            self.discard(session)
        for session in reversed(self._idle):
            if session.has_input(serial):
                self._idle.remove(session)
                return session
        for session in reversed(self._idle):
            if not session.has_inputs:
                self._idle.remove(session)
                return session
        return await self._new()

    async def _new(self) -> Session:
        session = Session(await self.access.connect(self._user, self._application))
        if self.closed:
            session.binding.abandon()
            raise mq_error(C.MQRC_HCONN_ERROR, self.access.name, "the connection was closed meanwhile")
        self._all.add(session)
        return session

    def give_back(self, session: Session) -> None:
        session.unit = None
        if self.closed or session not in self._all:
            return
        if not session.binding.connected:
            self.discard(session)
            return
        session.idle_since = self._loop.time()
        self._idle.append(session)
        if self._timer is None:
            self._timer = self._loop.call_later(IDLE_S, self._trim)

    def discard(self, session: Session) -> None:
        """End a connection at once; what is not committed is backed out."""
        self._all.discard(session)
        session.handles.clear()
        session.binding.abandon()

    def _trim(self) -> None:
        self._timer = None
        limit = self._loop.time() - IDLE_S
        for session in [session for session in self._idle if session.idle_since <= limit and not session.pins]:
            self._idle.remove(session)
            self.discard(session)
        if any(not session.pins for session in self._idle):
            self._timer = self._loop.call_later(IDLE_S, self._trim)

    # Handles

    async def give_up_input(self, serial: int, session: Session) -> None:
        """Before a Queue object opens for input: an idle connection of ours must not be in its way."""
        for other in list(self._idle):
            if other is not session and serial not in other.pins:
                for mode in _INPUTS:
                    found = other.handles.pop((serial, mode), None)
                    if found is not None:
                        await close_quietly(other, found.hobj)

    async def close_handles(self, serial: int) -> None:
        """Close what a Queue object has open, everywhere."""
        for session in list(self._all):
            for hobj in session.taken(serial):
                await close_quietly(session, hobj)

    async def release(self, name: str) -> None:
        """Close the handles kept for a queue where nobody uses them: they would be in the way of a command."""
        for session in [*self._idle, *([self._common] if self._common is not None else [])]:
            for hobj in session.taken_by_name(name):
                await close_quietly(session, hobj)

    # The end

    async def close(self) -> None:
        """End all connections, then the access; to the end, also if the task is cancelled meanwhile."""
        if self.closed:
            return
        self.closed = True
        if self._timer is not None:
            self._timer.cancel()
        sessions, self._all, self._idle, self._common = list(self._all), set(), [], None
        try:
            for session in sessions:
                session.handles.clear()
                await session.binding.disconnect()
        finally:
            await self.access.close()


async def close_quietly(session: Session, hobj: int) -> None:
    try:
        await session.binding.close(hobj)
    except MQError:
        pass  # closed already, or with its connection
