"""A put of a long persistent message goes on in turns, as a get does that has to search long.

What is wrong with the call is found first, with nothing logged (`begin`). Then the data is logged in parts, one a turn
(`go_on`), and others have the kernel and the log in between: the next part waits until the log's buffer takes more.
When all of it is logged the put itself is done, with all its checks anew, and what it writes names the parts
(`state.parts_of_puts` has the records). So the put happens at one moment, its last, and in the world as it is then: the
queue may have filled or be gone, the unit of work backed out.

Whoever has begun one drives it: a server from its loop, an embedded connection from the thread that puts. It ends it,
too, whatever became of it (`end`); the end of its connection does so if nobody else did.
"""

from __future__ import annotations

from libremq.kernel.messages.put_plan import APPLICATION, plan_of
from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.parts_of_puts import PART_OVERHEAD, LoggedData
from libremq.kernel.state.unit_of_work import ACTIVE, UnitOfWork
from libremq.log import LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQPMO

_BEGUN_ANEW_MAX = 3


class LongPut:
    """One put whose data is being logged."""

    __slots__ = ("_begun_anew", "_core", "_options", "_own", "_plan", "connection", "error", "logged")

    def __init__(self, core: Core, connection: Connection, handle: ObjectHandle, options: int, data: bytes) -> None:
        assert handle.destination is not None
        self._core = core
        self._plan = plan_of(core, handle.destination)
        self._options = options
        self._own = not options & C.MQPMO_SYNCPOINT
        self._begun_anew = 0
        self.connection = connection
        self.error: MQError | None = None  # the put has failed before its last moment
        self.logged = LoggedData(data, core.begin_unit() if self._own else core.syncpoint_unit(connection))
        self.logged.unit.parts_under_way += 1
        core.long_puts[self] = None

    @property
    def is_ready(self) -> bool:
        """Is nothing left but the put itself? It may also be that it is to tell why there can be none."""
        return self.error is not None or self.logged.is_complete or not self._can_go_on

    @property
    def waits_for(self) -> int:
        """The LSN up to which the log has to be on disk before it takes more; 0: go on."""
        return self.logged.lsns[-1] if self._core.log.pressure and self.logged.lsns else 0

    @property
    def _can_go_on(self) -> bool:
        """Not an answer to the application: that is for the put, which looks again."""
        core, queue, unit = self._core, self._plan.queue, self.logged.unit
        return (
            self in core.long_puts
            and (unit.state is ACTIVE if core.units.get(unit.id) is unit else self._own_may_be_begun_anew)
            and not queue.out_of_use
            and not (core.quiescing and self._options & C.MQPMO_FAIL_IF_QUIESCING)
        )

    @property
    def _own_may_be_begun_anew(self) -> bool:
        return self._own and self._begun_anew < _BEGUN_ANEW_MAX

    def go_on(self) -> None:
        """Log the next part, if it is not ready. LogFull if there is no room: it can be tried again then.

        A unit of work of its own may have been the oldest, and backed out to make room: then it begins anew.
        """
        if self.is_ready:
            return
        core = self._core
        if core.units.get(self.logged.unit.id) is not self.logged.unit:
            self._begun_anew += 1
            self.logged = LoggedData(self.logged.data, core.begin_unit())
            self.logged.unit.parts_under_way += 1
        self.logged.log_part(core)

    def check(self) -> None:
        """The put is to be done: raise what has become of it before."""
        if self.error is not None:
            raise self.error

    def fail(self, error: MQError) -> None:
        """A turn went wrong. The put tells."""
        self.error = error

    def end(self) -> None:
        """The put is done, or nobody goes on with it: parts in a unit of work of their own are backed out then."""
        core, unit = self._core, self.logged.unit
        if self in core.long_puts:
            del core.long_puts[self]
            unit.parts_under_way -= 1
            if self._own and core.units.get(unit.id) is unit:
                core.backout(unit)


def begin(
    core: Core, connection: Connection, handle: ObjectHandle, md: MQMD, pmo: MQPMO, data: bytes
) -> LongPut | None:
    """Begin to put a long message; None, with nothing done, if an ordinary put will do, or tells what is wrong."""
    destination = handle.destination
    if len(data) < core.long_bytes or destination is None or handle.destinations or destination.is_remote:
        return None
    plan, options = plan_of(core, destination), pmo.Options
    queue = plan.queue
    persistence = md.Persistence
    if persistence == C.MQPER_PERSISTENCE_AS_Q_DEF:
        persistence = plan.default_persistence
    if (
        persistence != C.MQPER_PERSISTENT
        or plan.closed_because(core, options)
        or plan.nonpersistent_only
        or queue.damage is not None
        or not queue.recoverable
        or plan.no_room_because(len(data))
    ):
        return None
    if options & C.MQPMO_SYNCPOINT:
        unit: UnitOfWork | None = connection.xa_unit or connection.unit
        if unit is not None and core.unit_closed_because(unit, limited=APPLICATION.is_limited):
            return None
    elif queue.waiters.takers():
        return None  # it goes from hand to hand, and is not logged
    if type(data) is not bytes:
        data = bytes(data)
    try:
        core.log.check_fits(len(data) + PART_OVERHEAD * (len(data) // core.part_bytes + 2))
    except LogFull:
        return None
    return LongPut(core, connection, handle, options, data)


def end_those_of(core: Core, connection: Connection) -> None:
    """The connection ends."""
    for one in [one for one in core.long_puts if one.connection is connection]:
        one.end()
