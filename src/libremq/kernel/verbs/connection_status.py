"""DISPLAY CONN from the inside: who is connected, with which unit of work, and what each has open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from libremq.kernel.state.connection import Connection, ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.unit_of_work import PREPARED, UnitOfWork
from libremq.mqi import constants as C


@dataclass(frozen=True, slots=True)
class ConnectionStatus:
    hconn: int
    user: str
    application: str
    application_type: int
    is_consuming: bool
    unit_type: int  # MQUOWT_*
    unit_state: int  # MQUOWST_*
    unit_name: str
    own_unit_name: str  # without a branch of a transaction manager
    unit_extent: str  # of the log: where its unit of work began
    unit_started: float  # seconds since 1970, 0 if there is none: its first operation, and its first log record
    unit_logged: float
    external_unit: bytes  # the XID that a transaction manager has given it
    options: int  # MQCNO_*


@dataclass(frozen=True, slots=True)
class HandleStatus:
    """An open object."""

    connection: ConnectionStatus
    object_name: str
    object_type: int  # MQOT_*
    options: int  # MQOO_*
    is_input: bool
    is_exclusive: bool  # nobody else may get from the queue
    waits: bool  # a get waits

    def has(self, option: int) -> bool:
        return bool(self.options & option)


def connections(core: Core) -> Iterator[tuple[ConnectionStatus, list[HandleStatus]]]:
    """Every connection with what it has open; without those that are gone when their turn comes."""
    for connection in list(core.connections.values()):
        if connection.hconn in core.connections:
            status = _connection(core, connection)
            yield status, [_handle(status, handle) for handle in connection.handles.values()]


def handles_of_queue(core: Core, name: str) -> list[HandleStatus]:
    """Who has a local queue open, in the order of connections."""
    queue = core.queues.get(name)
    if queue is None:
        return []
    handles = sorted(queue.open_handles, key=lambda one: (one.connection.hconn, one.hobj))
    return [_handle(_connection(core, handle.connection), handle) for handle in handles]


def _connection(core: Core, connection: Connection) -> ConnectionStatus:
    unit = connection.xa_unit or connection.unit
    return ConnectionStatus(
        hconn=connection.hconn,
        user=connection.user,
        application=connection.application,
        application_type=connection.application_type,
        is_consuming=connection.consuming,
        unit_type=_unit_type(connection),
        unit_state=_unit_state(unit),
        unit_name=_unit_name(unit),
        own_unit_name=_unit_name(connection.unit),
        unit_extent=core.log.extent_name_of(unit.first_lsn) if unit is not None and unit.is_logged else "",
        unit_started=unit.started if unit is not None and unit.operations else 0.0,
        unit_logged=unit.log_started if unit is not None and unit.operations else 0.0,
        external_unit=unit.xid if unit is not None and not unit.is_batch else b"",
        options=connection.options,
    )


def _unit_type(connection: Connection) -> int:
    """A batch of a message channel is the queue manager's own, and has no XID as long as it is here."""
    unit = connection.xa_unit
    return C.MQUOWT_XA if unit is not None and unit.xid else C.MQUOWT_Q_MGR


def _unit_state(unit: UnitOfWork | None) -> int:
    if unit is None or not unit.operations:
        return C.MQUOWST_NONE
    return C.MQUOWST_PREPARED if unit.state == PREPARED else C.MQUOWST_ACTIVE


def _unit_name(unit: UnitOfWork | None) -> str:
    return f"0.{unit.id}" if unit is not None and unit.operations else "0.0"


def _handle(connection: ConnectionStatus, handle: ObjectHandle) -> HandleStatus:
    queue = handle.queue
    return HandleStatus(
        connection=connection,
        object_name=handle.object_name,
        object_type=handle.obj.object_type if handle.obj is not None else C.MQOT_Q,
        options=handle.options,
        is_input=handle.is_input,
        is_exclusive=handle.has(C.MQOO_INPUT_EXCLUSIVE) or (queue is not None and queue.exclusive),
        waits=bool(handle.waiters),
    )
