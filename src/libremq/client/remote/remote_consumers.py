"""Asynchronous consumers of a remote connection: the queue manager says whom to call, a thread here calls.

The kernel keeps the consumers, so that they behave alike over every binding. It sends one call at a time; when the
function has returned, the client says that it is ready for the next. A message under syncpoint is thus in the unit of
work of its own call and of no other.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from libremq.client.remote import remote_calls as rc
from libremq.kernel.properties.message_handles import MessageHandles
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQCBC, MQCBD, MQGMO, MQMD
from libremq.wire.messages import NEXT_CALL, Request, pack_request, unpack_message, unpack_notification
from libremq.wire.protocol import Type
from libremq.wire.segments import Flow, frame

if TYPE_CHECKING:
    from libremq.client.remote.remote_link import RemoteLink, Slot


class _Registered(NamedTuple):
    function: Callable[..., Any]
    gmo: MQGMO
    version: int
    """Of the MQMD that it wants."""


class RemoteConsumers:
    """MQCB and MQCTL."""

    _link: RemoteLink
    _slot: Slot
    _lock: threading.RLock
    _name: str
    _connected: bool
    _message_handles: MessageHandles

    def __init__(self) -> None:
        self._registered: dict[int, _Registered] = {}  # by hobj; 0 is the event handler
        self._consuming = False
        self._suspended = False
        self._dispatcher: threading.Thread | None = None
        self._calling = False  # a function of the application runs
        self.on_lost: Callable[[MQError], bool] | None = None
        """Called in the thread that calls, when the connection is lost; True if the consumers need not be told."""

    def _check(self) -> None:
        raise AssertionError("a connection says that")

    def _extension_unchecked(self, body: bytes) -> tuple[dict[str, Any], bytes, int]:
        raise AssertionError("a connection does that")

    def _check_thread(self) -> None:
        if self._consuming and not self._suspended and threading.current_thread() is not self._dispatcher:
            raise mq_error(
                C.MQRC_HCONN_ASYNC_ACTIVE,
                self._name,
                "consumers are started: stop or suspend them to call from outside",
            )

    # MQCB

    def _register(
        self,
        operation: int,
        cbd: MQCBD,
        function: Callable[..., Any] | None,
        hobj: int,
        md: MQMD,
        gmo: MQGMO,
        area: object,
    ) -> None:
        rc.check_operation(operation)
        sent = gmo
        if gmo.MsgHandle:
            self._message_handles.get(gmo.MsgHandle)
            sent = gmo.copy()
            sent.MsgHandle = 1
        with self._lock:
            self._check()
            before = self._registered.get(hobj)
            if operation & C.MQOP_REGISTER and callable(function):
                # It may be called before the reply is here
                self._registered[hobj] = _Registered(function, gmo.copy(), md.Version)
            try:
                self._extension_unchecked(
                    rc.callback_request(operation, cbd, hobj, md, sent, function=callable(function))
                )
            except MQError:
                if operation & C.MQOP_REGISTER:
                    self._registered.pop(hobj, None)
                    if before is not None:
                        self._registered[hobj] = before
                raise

    def _forget_consumer(self, hobj: int) -> None:
        """The handle is closed. Its function stays known until it is used again: a last call may be on its way."""

    # MQCTL

    def _control(self, operation: int) -> None:
        rc.check_operation(operation)
        starts = operation in (C.MQOP_START, C.MQOP_START_WAIT)
        if starts and not self._consuming:
            self._join()  # a stop from inside a consumer lets its thread end later
        with self._lock:
            self._check_connected()
            self._send_control(operation)
            if starts:
                self._consuming, self._suspended = True, False
                if operation == C.MQOP_START:
                    self._dispatcher = threading.Thread(
                        target=self._dispatch, name=f"libremq-consumer-{self._slot.number}", daemon=True
                    )
                else:
                    self._dispatcher = threading.current_thread()
            elif operation in (C.MQOP_SUSPEND, C.MQOP_RESUME):
                self._suspended = operation == C.MQOP_SUSPEND
            else:
                self._consuming = self._suspended = False
        if operation == C.MQOP_START and self._dispatcher is not None:
            self._dispatcher.start()
        elif operation == C.MQOP_START_WAIT:
            self._dispatch()
        elif operation == C.MQOP_STOP:
            self._join()

    def _check_connected(self) -> None:
        raise AssertionError("a connection says that")

    def _send_control(self, operation: int) -> None:
        from libremq.wire import calls

        self._extension_unchecked(calls.pack_extension("control", {"operation": operation}))

    def _finish_consumers(self) -> None:
        """Before the connection ends: no call is made any more. One that is under way ends first, if it is not ours."""
        if self._consuming:
            try:
                self._control(C.MQOP_STOP)
            except MQError:
                self._consuming = False

    def _join(self) -> None:
        dispatcher = self._dispatcher
        if dispatcher is None or dispatcher is threading.current_thread() or not dispatcher.is_alive():
            return
        timeout = self._link.address.call_timeout_s or None
        dispatcher.join(timeout)
        while dispatcher.is_alive():
            # A function may take its time; the queue manager's word that there are no more calls may not
            if not self._calling:
                self._link._break("the queue manager did not say in time that consumers are stopped")
                timeout = None
            dispatcher.join(timeout)

    def wait_for_consumers(self) -> None:
        """Wait until the thread that calls has ended, unless this is it."""
        self._join()

    # The thread that calls

    def _dispatch(self) -> None:
        link, slot = self._link, self._slot
        following = frame(Type.REQUEST_MSGS, pack_request(Request(0, flags=NEXT_CALL)), slot.number)
        try:
            while self._call_one(link.receive(slot, deliveries=True)):
                if not self._connected:
                    return  # the function ended the connection
                link.send(following)
        except MQError as error:
            self._consuming = False
            if self.on_lost is None or not self.on_lost(error):
                self._tell_failure(error)

    def _call_one(self, flow: Flow) -> bool:
        """Make one call; False if there are to be no more."""
        if flow.kind == Type.NOTIFICATION:
            notice = unpack_notification(flow.body, flow.big_endian)
            if notice.version == 0:
                return False
            call_type, comp_code, state = notice.version >> 16, notice.version >> 8 & 0xFF, notice.version & 0xFF
            cbc = MQCBC(CallType=call_type, Hobj=notice.hobj, CompCode=comp_code, Reason=notice.value, State=state)
            self._deliver(notice.hobj, None, None, None, cbc)
            return True
        arrived = unpack_message(flow.body, flow.big_endian)
        cbc = MQCBC(
            CallType=C.MQCBCT_MSG_REMOVED if arrived.removed else C.MQCBCT_MSG_NOT_REMOVED,
            Hobj=arrived.hobj, CompCode=C.MQCC_WARNING if arrived.reason else C.MQCC_OK, Reason=arrived.reason,
            DataLength=arrived.length, BufferLength=len(arrived.data), State=arrived.state,
        )  # fmt: skip
        registered = self._registered.get(arrived.hobj)
        if registered is not None:
            gmo = registered.gmo.copy()
            for name in ("ResolvedQName", "MsgToken", "GroupStatus", "SegmentStatus", "Segmentation", "ReturnedLength"):
                setattr(gmo, name, getattr(arrived.gmo, name))
            if gmo.MsgHandle:
                try:
                    rc.receive(self._message_handles, gmo.MsgHandle, arrived.md, arrived.properties)
                except MQError as error:  # the handle was deleted; the message is off its queue, and has to be told
                    cbc.CompCode, cbc.Reason = C.MQCC_WARNING, error.reason
            self._deliver(arrived.hobj, arrived.md, gmo, arrived.data, cbc)
        return True

    def _tell_failure(self, error: MQError) -> None:
        """The connection is lost: the event handler, or else every consumer, hears of it."""
        self._consuming = False
        for hobj in [0] if 0 in self._registered else list(self._registered):
            cbc = MQCBC(
                CallType=C.MQCBCT_EVENT_CALL, Hobj=hobj, CompCode=C.MQCC_FAILED, Reason=error.reason,
                State=C.MQCS_STOPPED,
            )  # fmt: skip
            self._deliver(hobj, None, None, None, cbc)

    def _deliver(self, hobj: int, md: MQMD | None, gmo: MQGMO | None, data: bytes | None, cbc: MQCBC) -> None:
        registered = self._registered.get(hobj)
        if registered is None:
            return
        self._calling = True
        try:
            registered.function(md, gmo, data, cbc)
        except Exception:
            # A consumer's mistake must not end the deliveries of the others; MQ would end the process
            traceback.print_exc(file=sys.stderr)
        finally:
            self._calling = False
