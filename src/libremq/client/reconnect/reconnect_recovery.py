"""What becomes of a connection that is lost: what is written down, what is made again, what the application hears.

One thread at a time reconnects, the one that needs the connection; others that call meanwhile wait for it. The new
connection takes the place of the lost one when all that could be kept is open on it.
"""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from libremq.client.reconnect.reconnect_attempts import Attempts, Unwanted, keep_trying
from libremq.client.reconnect.reconnect_consumers import ReconnectedConsumer, ReconnectingConsumers
from libremq.client.reconnect.reconnect_handles import OpenObject
from libremq.client.remote.remote_connection import RemoteConnection
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

if TYPE_CHECKING:
    from libremq.kernel.recovery.restart import Say

_T = TypeVar("_T")

TRIES = 5
"""A call that does not wait, and breaks the connection every time, is not made for ever."""
_HELD_S = 10.0
"""How long to wait for the queue manager to notice that the lost connection is lost, and to give back what it held."""

Connect = Callable[[], RemoteConnection]


class _Restored(NamedTuple):
    """What could not be kept."""

    problems: list[tuple[int, str]]  # reason, object
    said: list[str]
    refused: list[tuple[ReconnectedConsumer, MQError]]


class Recovery(ReconnectingConsumers):
    """The state of a connection that reconnects, and how calls are made on it."""

    def __init__(
        self, first: RemoteConnection, connect: Connect, *, timeout_s: float, alone: bool, say: Say | None
    ) -> None:
        """`connect` makes another connection, and MQError says why it cannot; `alone`: to one address only."""
        ReconnectingConsumers.__init__(self)
        self._current = first
        self._connect_again = connect
        self._timeout_s = timeout_s
        self._alone = alone
        self._announce = say
        self._name = first.qmgr_name
        self.reconnections = 0
        """How often it was connected again."""
        self.losses = 0
        """How often the connection was lost."""
        self._objects: dict[int, OpenObject] = {}
        self._numbers = itertools.count(1)
        self._unit = False  # there is something in the unit of work
        self._unit_lost = False  # it is gone, and the application has not heard of it
        self._branch: bytes | None = None  # of a transaction manager
        self._lost_branch: bytes | None = None
        self._unanswered = 0  # puts outside syncpoint whose outcome nobody has asked for
        self._unanswered_lost = 0
        self._problems: list[tuple[int, str]] = []  # of the last reconnection: reason, object
        self._noted: RemoteConnection | None = None  # whose loss is written down in these
        self._state = threading.Lock()
        self._lock = threading.RLock()  # held by the thread that reconnects
        self._recovering: threading.Thread | None = None
        self._wake = threading.Event()
        self._leaving = False
        self._ended = False
        self._failed: MQError | None = None

    @property
    def qmgr_name(self) -> str:
        return self._name

    @property
    def connected(self) -> bool:
        """Also while it reconnects: what is called then waits."""
        return not self._ended and self._failed is None and (self._current.connected or self._current.lost)

    # Calls

    def _check(self) -> None:
        if self._failed is not None:
            raise mq_error(self._failed.reason, self._failed.object_name, self._failed.detail)
        if self._ended:
            raise mq_error(C.MQRC_HCONN_ERROR, self._name, "the connection is not open, or was ended")

    def _ready(self, *, unit: bool = False) -> RemoteConnection:
        """A connection to make a call on. `unit`: the call belongs to a unit of work, which must not be gone."""
        self._check()
        current = self._current
        current.look()
        if current.lost:
            self._note_loss(current)
            if not (unit and self._unit_lost):
                self._recover_for_call(current)
                current = self._current
        if unit and self._unit_lost:
            raise self._backed_out()
        return current

    def _drive(self, call: Callable[[RemoteConnection], _T], *, unit: bool = False, once: str = "") -> _T:
        """Make a call, and again if the connection is lost meanwhile; `once`: what it would do twice then."""
        for left in range(TRIES - 1, -1, -1):
            current = self._ready(unit=unit)
            try:
                return call(current)
            except MQError as error:
                if not current.broken_by(error):
                    raise
                self._note_loss(current)
                if unit:
                    raise self._backed_out() from error
                if once:
                    raise self._interrupted(once, error) from error
                if not left:
                    raise
        raise AssertionError("unreachable")

    def _interrupted(self, what: str, error: MQError) -> MQError:
        return mq_error(
            C.MQRC_CALL_INTERRUPTED,
            self._name,
            f"the connection was lost ({error.detail or error.name}) while {what} was under way: "
            "it has taken effect or not, nobody knows",
        )

    def _backed_out(self) -> MQError:
        """The error for a unit of work that is gone; what was done since in ignorance of that goes too."""
        self._unit_lost = False
        if self._unit:
            self._unit = False
            try:
                self._current.backout()
            except MQError:
                pass  # lost again, and with it what was to be backed out
        return mq_error(
            C.MQRC_BACKED_OUT, self._name, "the connection was lost, and the unit of work with it; begin it again"
        )

    def _object(self, hobj: int) -> OpenObject:
        opened = self._objects.get(hobj)
        if opened is None:
            self._check()
            raise mq_error(C.MQRC_HOBJ_ERROR, self._name, "the object is not open, or was closed")
        return opened

    def _place(self, opened: OpenObject, current: RemoteConnection) -> int:
        """The hobj of an object on this connection. One that could not be opened again is tried once more."""
        if opened.closed:
            raise mq_error(C.MQRC_HOBJ_ERROR, self._name, "the object was closed")
        if opened.connection is not current:
            with self._lock:
                if opened.connection is not current:
                    self._tell_lost(opened, opened.open_again(current, lambda: False))
        return opened.hobj

    # A lost connection

    def _note_loss(self, lost: RemoteConnection) -> None:
        """Write down what is lost with a connection, once."""
        with self._state:
            if self._noted is lost or lost is not self._current:
                return
            self._noted = lost
            self.losses += 1
            self._unit_lost = self._unit_lost or self._unit or self._branch is not None
            self._unit = False
            if self._branch is not None:
                self._lost_branch, self._branch = self._branch, None
            self._unanswered_lost += self._unanswered
            self._unanswered = 0
            for opened in list(self._objects.values()):
                opened.lose()

    def _is_noted(self, lost: RemoteConnection) -> bool:
        return self._noted is lost

    def _is_recovering(self) -> bool:
        return self._recovering is threading.current_thread()

    def _rouse(self) -> None:
        self._wake.set()

    def _recover_for_call(self, lost: RemoteConnection) -> None:
        try:
            self._recover(lost, lambda: True)
        except Unwanted:
            raise mq_error(C.MQRC_HCONN_ERROR, self._name, "the connection was ended while it reconnected") from None

    def _recover(self, lost: RemoteConnection, wanted: Callable[[], bool]) -> None:
        """Replace a lost connection. Others who call meanwhile wait for that; an end of the connection ends it."""
        if self._is_recovering():
            raise mq_error(
                C.MQRC_CALL_IN_PROGRESS, self._name, "the connection is being made again; the event handler may end it"
            )
        with self._lock:
            if self._current is not lost:
                return
            self._check()
            self._recovering = threading.current_thread()
            try:
                self._replace(lost, wanted)
            finally:
                self._recovering = None

    def _replace(self, lost: RemoteConnection, wanted: Callable[[], bool]) -> None:
        lost.let_go()
        self._log(logging.WARNING, f"The connection to queue manager {self._name} is lost; reconnecting. {lost.why}")
        self._tell_event(C.MQRC_RECONNECTING, C.MQCC_WARNING)
        try:
            fresh = keep_trying(
                lambda attempts: self._renewed(lost, attempts),
                name=self._name,
                timeout_s=self._timeout_s,
                wake=self._wake,
                wanted=lambda: not self._leaving and wanted(),
                alone=self._alone,
            )
        except MQError as error:
            self._failed = error
            self._log(logging.ERROR, f"Reconnecting to queue manager {self._name} has failed: {error.detail}.")
            self._tell_event(error.reason, C.MQCC_FAILED)
            raise
        self.reconnections += 1
        self._log(logging.INFO, f"The connection to queue manager {fresh.qmgr_name} is there again ({fresh.where}).")
        self._tell_event(C.MQRC_RECONNECTED, C.MQCC_OK)
        if self._leaving:
            self._end_fresh(fresh)
            raise Unwanted

    def _end_fresh(self, fresh: RemoteConnection) -> None:
        try:
            fresh.disconnect()
        except MQError:
            pass

    def _renewed(self, lost: RemoteConnection, attempts: Attempts) -> RemoteConnection:
        """A new connection with all that the lost one had. It takes the place of that once nothing can go wrong."""
        fresh = self._connect_again()
        try:
            fresh.take_over(lost)
            restored = self._restore(fresh, attempts)
        except BaseException:
            fresh.let_go()
            raise
        if fresh.lost:
            fresh.let_go()
            raise mq_error(C.MQRC_CONNECTION_BROKEN, self._name, fresh.why)
        with self._state:
            self._current = fresh
            self._name = fresh.qmgr_name
            self._problems = restored.problems
        for text in restored.said:
            self._log(logging.WARNING, text)
        for consumer, error in restored.refused:
            self._tell_refused(consumer, error)
        return fresh

    def _restore(self, fresh: RemoteConnection, attempts: Attempts) -> _Restored:
        problems: list[tuple[int, str]] = []
        said: list[str] = []
        patience = Attempts(min(_HELD_S, max(0.0, attempts.left_s)))

        def pause() -> bool:
            if self._leaving or patience.left_s <= 0:
                return False
            patience.pause(self._wake)
            return True

        for opened in list(self._objects.values()):
            try:
                lost = opened.open_again(fresh, pause)
            except MQError as error:
                if fresh.lost:
                    raise
                problems.append((error.reason, opened.name))
                said.append(f"{opened.name} could not be opened again: {error}")
                continue
            if lost:
                problems.append((C.MQRC_RECONNECT_INCOMPATIBLE, opened.name))
                said += [f"{opened.name}: {text}." for text in lost]
        refused = self._register_again(fresh)
        for consumer, why in refused:
            name = consumer.opened.name if consumer.opened is not None else self._name
            problems.append((why.reason, name))
            said.append(f"{name}: its consumer could not be registered again: {why}")
        return _Restored(problems, said, refused)

    def _tell_lost(self, opened: OpenObject, lost: list[str]) -> None:
        for text in lost:
            self._log(logging.WARNING, f"{opened.name}: {text}.")

    def _log(self, level: int, text: str) -> None:
        """To whoever asked for messages, else to the Python logger of the queue manager."""
        if self._announce is not None:
            self._announce(text)
        else:
            logging.getLogger(f"libremq.{self._name}").log(level, "%s", text)
