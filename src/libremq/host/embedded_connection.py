"""One connection of the embedded binding, with the thread that calls its consumers.

While consumers are started, only they may use the connection (MQCTL and MQDISC aside): any other thread gets
MQRC_HCONN_ASYNC_ACTIVE, as MQ has it.
"""

from __future__ import annotations

import itertools
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, TypeVar

from libremq.host.binding import GetCall, GotItem, PutCall, PutItem, Received, with_ids
from libremq.host.embedded import EmbeddedQueueManager
from libremq.host.message_calls import MessageCalls, PlainReceived, PutProperties
from libremq.kernel.properties.given_properties import encoded_properties
from libremq.kernel.properties.message_handles import InquiredProperty, MessageHandles, PropertiesBuffer
from libremq.kernel.properties.property_names import returned_name
from libremq.kernel.properties.property_types import infer_type
from libremq.kernel.state.waiting_gets import Got
from libremq.kernel.verbs.consumers import Delivery
from libremq.kernel.verbs.plain_gets import is_plain
from libremq.kernel.verbs.put_forms import PutForm
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.rfh2 import PropertyValue
from libremq.mqi.structs import (
    MQBMHO,
    MQCBC,
    MQCBD,
    MQCMHO,
    MQDMHO,
    MQDMPO,
    MQGMO,
    MQIMPO,
    MQMD,
    MQMHBO,
    MQOD,
    MQOR,
    MQPD,
    MQPMO,
    MQPMR,
    MQRR,
    MQSMPO,
    MQSTS,
)

_T = TypeVar("_T")
_NO_ID = bytes(24)
# Of several puts or gets of one call: what is done until others have the lock
_RUN_MESSAGES = 64
_RUN_BYTES = 128 << 10


class EmbeddedConnection(MessageCalls):
    """hconn: the MQI of one application. Threads may share it; a call runs at a time."""

    def __init__(
        self, embedded: EmbeddedQueueManager, user: str = "", application: str = "", *, privileged: bool = True
    ) -> None:
        self._embedded = embedded
        self._manager = embedded.manager
        with embedded.locked():
            self.hconn = self._manager.connect(
                user, application, privileged=privileged, options=C.MQCNO_HANDLE_SHARE_BLOCK
            )
            self._connection = self._manager.connection(self.hconn)
        self._dispatcher: threading.Thread | None = None
        self._something_to_do = threading.Condition(embedded.lock)

    @property
    def qmgr_name(self) -> str:
        return self._manager.name

    @property
    def connected(self) -> bool:
        return self.hconn in self._manager.core.connections and self._manager.failure is None

    def _call(self, verb: Callable[[], _T]) -> _T:
        self._check_thread()
        return self._embedded.call(self.hconn, verb)

    def _check_thread(self) -> None:
        connection = self._connection
        if connection.consuming and not connection.suspended and threading.current_thread() is not self._dispatcher:
            raise mq_error(
                C.MQRC_HCONN_ASYNC_ACTIVE,
                self.qmgr_name,
                "consumers are started: stop or suspend them to call from outside",
            )

    # Verbs

    def end_waits(self) -> None:
        """Nothing to do: a disconnect ends them, and waits for none."""

    def disconnect(self) -> None:
        manager, embedded = self._manager, self._embedded
        lost: MQError | None = None
        with embedded.lock:
            try:
                manager.disconnect(self.hconn)
            except MQError as error:
                if error.reason != C.MQRC_BACKED_OUT:
                    raise
                lost = error  # what it had not committed; it is disconnected all the same
            self._something_to_do.notify_all()
        embedded.force(self._connection.lsn)
        self._join()
        if lost is not None:
            raise lost

    def open(self, od: MQOD, options: int, records: Sequence[MQOR] = ()) -> int:
        return self._call(lambda: self._manager.open(self.hconn, od, options, records))

    def responses(self, hobj: int) -> list[MQRR]:
        return self._call(lambda: self._manager.responses(self.hconn, hobj))

    def close(self, hobj: int, options: int = C.MQCO_NONE) -> int:
        return self._call(lambda: self._manager.close(self.hconn, hobj, options))

    def put(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, records: Sequence[MQPMR] = ()) -> int:
        if self._connection.consuming:
            self._check_thread()
        manager, embedded, hconn = self._manager, self._embedded, self.hconn
        if self._is_long(data) and not records:
            long_put = embedded.call(hconn, manager.begin_long_put, hconn, hobj, md, pmo, data)
            if long_put is not None:
                return embedded.put_in_parts(
                    hconn, long_put, partial(manager.put, hconn, hobj, md, pmo, data, long_put=long_put)
                )
        return embedded.call(hconn, manager.put, hconn, hobj, md, pmo, data, records)

    def _is_long(self, data: bytes) -> bool:
        """Is it too long to be put in one go?"""
        return len(data) >= self._manager.core.long_bytes

    def put_message(
        self,
        hobj: int,
        put: PutCall,
        data: bytes,
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
        properties: Mapping[str, object] | None = None,
    ) -> bytes:
        """By the form that an earlier put of this kind has left, if that will do (`put_forms`)."""
        if self._is_long(data):
            return super().put_message(hobj, put, data, message_id, correlation_id, properties)
        if self._connection.consuming:
            self._check_thread()
        form: PutForm | None = put.made
        if form is not None:
            ids = (message_id or _NO_ID) + (correlation_id or _NO_ID)
            encoded = encoded_properties(self._connection.message_handles, properties) if properties else b""
            filled = self._embedded.call(self.hconn, self._manager.put_like, form, ids, data, encoded)
            if filled is not None:
                return filled.ids[:24]
        md, pmo = with_ids(put.md, message_id, correlation_id), put.pmo.copy()
        with PutProperties(self, pmo, properties) if properties else nullcontext():
            self._embedded.call(self.hconn, self._put_first, hobj, put, pmo, md, data)
        return md.MsgId

    def put_messages(
        self,
        hobj: int,
        puts: Sequence[tuple[PutCall, bytes]],
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
    ) -> list[bytes]:
        """Those that are alike go together, by the form that the first of them has left."""
        self._check_thread()
        given = (message_id or _NO_ID) + (correlation_id or _NO_ID)
        ids: list[bytes] = []
        troubles: list[MQError] = []
        while len(ids) < len(puts):
            put, data = puts[len(ids)]
            form: PutForm | None = put.made
            if form is not None and not self._is_long(data):
                run = _alike(puts, len(ids))
                done = self._embedded.call(
                    self.hconn, self._manager.put_several_like, form, [given] * len(run), run
                )  # fmt: skip
                ids += [both[:24] for filled in done for both in filled.ids]
                if done:
                    continue
            md, pmo = with_ids(put.md, message_id, correlation_id), put.pmo.copy()
            _answer_it(pmo)
            try:
                if self._is_long(data):
                    self.put(hobj, md, pmo, data)
                else:
                    self._embedded.call(self.hconn, self._put_first, hobj, put, pmo, md, data)
            except MQError as error:
                troubles.append(error)
            ids.append(md.MsgId)
        if troubles:
            raise _some_failed(troubles, len(puts))
        return ids

    def _put_first(self, hobj: int, put: PutCall, pmo: MQPMO, md: MQMD, data: bytes) -> None:
        """The first put of its kind, or one that the form of those before does not fit."""
        status = self._connection.async_puts
        troubles = status.failures + status.warnings
        reason = self._manager.put(self.hconn, hobj, md, pmo, data)
        # Of an asynchronous put that did not go well MQSTAT tells, and its descriptor is not filled
        if not reason and status.failures + status.warnings == troubles:
            put.made = self._manager.form_of(self.hconn, hobj, md, pmo)

    def put1(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> int:
        self._check_thread()
        manager, embedded, hconn = self._manager, self._embedded, self.hconn
        if self._is_long(data):
            long_put = embedded.call(hconn, manager.begin_long_put1, hconn, od, md, pmo, data)
            if long_put is not None:
                return embedded.put_in_parts(
                    hconn, long_put, partial(manager.put1, hconn, od, md, pmo, data, long_put=long_put)
                )
        return embedded.call(hconn, manager.put1, hconn, od, md, pmo, data)

    def get(self, hobj: int, md: MQMD, gmo: MQGMO, buffer_length: int | None = None) -> Got:
        if self._connection.consuming:
            self._check_thread()
        return self._embedded.get(self.hconn, hobj, md, gmo, buffer_length)

    def get_message(
        self, hobj: int, get: GetCall, message_id: bytes | None = None, correlation_id: bytes | None = None
    ) -> Received:
        """As it is stored, if it is one about which there is nothing to decide (`plain_gets`)."""
        if get.max_length is None:
            if self._connection.consuming:
                self._check_thread()
            found: list[Received] = []
            self._embedded.call(self.hconn, self._get_plain, hobj, get, found, 1, message_id, correlation_id)
            if found:
                return found[0]
        return super().get_message(hobj, get, message_id, correlation_id)

    def get_messages(
        self, hobj: int, get: GetCall, count: int, message_id: bytes | None = None, correlation_id: bytes | None = None
    ) -> Sequence[Received]:
        """Those about which there is nothing to decide come together."""
        embedded = self._embedded
        has_ids = message_id is not None or correlation_id is not None
        found = [self.get_message(hobj, get, message_id, correlation_id)]
        following = get.without_wait()
        try:
            while len(found) < count and found[-1].reason != C.MQRC_TRUNCATED_MSG_FAILED:
                before = len(found)
                if not has_ids and get.max_length is None:
                    most = min(count - before, _RUN_MESSAGES)
                    embedded.call(self.hconn, self._get_plain, hobj, following, found, most)
                if len(found) == before:
                    found.append(super().get_message(hobj, following, message_id, correlation_id))
        except MQError:
            pass  # there are no more, or the next call hears of it
        except BaseException as error:
            embedded.postpone(self.hconn, error)  # those that were found are off their queue
            embedded.force(self._connection.lsn)
        return found

    def _get_plain(
        self,
        hobj: int,
        get: GetCall,
        into: list[Received],
        most: int = 1,
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
    ) -> None:
        """So many at most, added under the lock: an interrupt that comes behind it does not lose them."""
        if get.made is None:
            handle = self._connection.handles.get(hobj)
            if handle is None or handle.queue is None:
                return
            has_ids = get.md.MsgId != _NO_ID or get.md.CorrelId != _NO_ID
            get.made = not has_ids and get.gmo.Version >= C.MQGMO_VERSION_3 and is_plain(handle, get.gmo), handle.queue
        plain, queue = get.made
        if plain:
            match = get.gmo.MatchOptions
            found = self._manager.get_plain(
                self.hconn, hobj, get.gmo.Options, most=most, with_properties=get.brings_properties,
                ids=(message_id if message_id is not None and match & C.MQMO_MATCH_MSG_ID else _NO_ID)
                + (correlation_id if correlation_id is not None and match & C.MQMO_MATCH_CORREL_ID else _NO_ID),
            )  # fmt: skip
            into += [PlainReceived(one, get, queue.name) for one in found]

    def put_many(self, hobj: int, items: Sequence[PutItem]) -> None:
        if any(self._is_long(data) for _, _, data in items):
            self._put_many(items, partial(self.put, hobj))
        else:
            self._call(lambda: self._put_many(items, partial(self._manager.put, self.hconn, hobj)))

    def _put_many(self, items: Sequence[PutItem], put: Callable[[MQMD, MQPMO, bytes], int]) -> None:
        troubles: list[MQError] = []
        for md, pmo, data in items:
            _answer_it(pmo)
            try:
                put(md, pmo, data)
            except MQError as error:
                troubles.append(error)
        if troubles:
            raise _some_failed(troubles, len(items))

    def get_many(self, hobj: int, md: MQMD, gmo: MQGMO, count: int) -> list[GotItem]:
        found = [self._one_of_many(hobj, md.copy(), gmo.copy())]
        following = gmo.copy()
        following.Options &= ~C.MQGMO_WAIT
        try:
            while len(found) < count and found[-1].got.reason != C.MQRC_TRUNCATED_MSG_FAILED:
                found.append(self._one_of_many(hobj, md.copy(), following.copy()))
        except MQError:
            pass  # there are no more, or the next call hears of it
        except BaseException as error:
            self._embedded.postpone(self.hconn, error)  # those that were found are off their queue
        return found

    def _one_of_many(self, hobj: int, md: MQMD, gmo: MQGMO) -> GotItem:
        got = self.get(hobj, md, gmo)
        return GotItem(md, gmo, got, self.properties(gmo.MsgHandle) if gmo.MsgHandle else {})

    def begin(self) -> int:
        return self._call(lambda: self._manager.begin(self.hconn))

    def commit(self) -> None:
        self._call(lambda: self._manager.commit(self.hconn))

    def backout(self) -> None:
        self._call(lambda: self._manager.backout(self.hconn))

    def inquire(self, hobj: int, selectors: Sequence[int]) -> tuple[list[int | str], int]:
        inquired = self._call(lambda: self._manager.inquire(self.hconn, hobj, selectors))
        return list(inquired), inquired.reason

    def set(self, hobj: int, values: Mapping[int, int | str]) -> None:
        self._call(lambda: self._manager.set(self.hconn, hobj, values))

    def status(self, kind: int, sts: MQSTS) -> None:
        self._call(lambda: self._manager.status(self.hconn, kind, sts))

    # Message handles

    def _handles(self, work: Callable[[MessageHandles], _T]) -> _T:
        return self._call(lambda: work(self._manager.connection(self.hconn).message_handles))

    def create_message_handle(self, cmho: MQCMHO | None = None) -> int:
        return self._handles(lambda handles: handles.create(cmho))

    def delete_message_handle(self, hmsg: int, dmho: MQDMHO | None = None) -> None:
        self._handles(lambda handles: handles.delete(hmsg, dmho))

    def set_property(
        self, hmsg: int, name: str, value: object, type: int, smpo: MQSMPO | None = None, pd: MQPD | None = None
    ) -> None:
        self._handles(lambda handles: handles.set(hmsg, smpo, name, pd, type, value))

    def inquire_property(
        self,
        hmsg: int,
        name: str,
        impo: MQIMPO | None = None,
        pd: MQPD | None = None,
        type: int = C.MQTYPE_AS_SET,
        max_length: int | None = None,
    ) -> InquiredProperty:
        return self._handles(lambda handles: handles.inquire(hmsg, impo, name, pd, type, max_length))

    def delete_property(self, hmsg: int, name: str, dmpo: MQDMPO | None = None) -> None:
        self._handles(lambda handles: handles.delete_property(hmsg, dmpo, name))

    def buffer_to_handle(self, hmsg: int, md: MQMD, buffer: bytes, bmho: MQBMHO | None = None) -> tuple[MQMD, bytes]:
        return self._handles(lambda handles: handles.buffer_to_handle(hmsg, bmho, md, buffer))

    def handle_to_buffer(
        self, hmsg: int, name: str, md: MQMD, mhbo: MQMHBO | None = None, buffer_length: int | None = None
    ) -> PropertiesBuffer:
        return self._handles(lambda handles: handles.handle_to_buffer(hmsg, mhbo, name, md, buffer_length))

    def set_properties(self, hmsg: int, values: Mapping[str, object]) -> None:
        def set_all(handles: MessageHandles) -> None:
            for name, value in values.items():
                handles.set(hmsg, None, name, None, infer_type(value), value)

        self._handles(set_all)

    def properties(self, hmsg: int) -> dict[str, PropertyValue]:
        # No call: the message that they belong to is gone from its queue, so neither a queue manager that has failed
        # since nor an interrupt that the next call is to hear of may come between it and its program
        properties = self._connection.message_handles.get(hmsg).properties
        if not properties:
            return {}
        return {returned_name(name): value for name, value in properties.as_dict().items()}

    # Two-phase commit

    def xa_start(self, xid: bytes) -> None:
        self._call(lambda: self._manager.xa_start(self.hconn, xid))

    def xa_end(self, xid: bytes) -> None:
        self._call(lambda: self._manager.xa_end(self.hconn, xid))

    def xa_prepare(self, xid: bytes) -> None:
        self._call(lambda: self._manager.xa_prepare(self.hconn, xid))

    def xa_commit(self, xid: bytes, *, one_phase: bool = False) -> None:
        self._call(lambda: self._manager.xa_commit(self.hconn, xid, one_phase=one_phase))

    def xa_rollback(self, xid: bytes) -> None:
        self._call(lambda: self._manager.xa_rollback(self.hconn, xid))

    def xa_recover(self) -> list[bytes]:
        return self._call(lambda: self._manager.xa_recover(self.hconn))

    def xa_forget(self, xid: bytes) -> None:
        self._call(lambda: self._manager.xa_forget(self.hconn, xid))

    # Consumers

    def callback(
        self,
        operation: int,
        cbd: MQCBD,
        function: Callable[..., Any] | None,
        hobj: int = 0,
        md: MQMD | None = None,
        gmo: MQGMO | None = None,
        area: object = None,
    ) -> None:
        """MQCB. The function is called as function(md, gmo, data, cbc) from the connection's own thread."""
        self._check_thread()
        self._embedded.call(
            self.hconn, lambda: self._manager.callback(self.hconn, operation, cbd, function, hobj, md, gmo, area)
        )

    def control(self, operation: int) -> None:
        """MQCTL. MQOP_START_WAIT calls the consumers in this thread until one of them stops the connection."""
        embedded = self._embedded
        if operation in (C.MQOP_START, C.MQOP_START_WAIT) and not self._connection.consuming:
            self._join()  # a stop from inside a consumer lets its thread end later
        with embedded.lock:
            self._manager.control(self.hconn, operation)
            self._connection.wake = self._something_to_do.notify_all
            if operation == C.MQOP_START:
                self._dispatcher = threading.Thread(
                    target=self._dispatch, name=f"libremq-consumer-{self.hconn}", daemon=True
                )
                self._dispatcher.start()
            elif operation == C.MQOP_START_WAIT:
                self._dispatcher = threading.current_thread()
            self._something_to_do.notify_all()
        if operation == C.MQOP_START_WAIT:
            self._dispatch()
        elif operation == C.MQOP_STOP:
            self._join()

    def _join(self) -> None:
        """Wait for the consumer thread to finish the call it is in, unless we are in it. Call without the lock."""
        dispatcher = self._dispatcher
        if dispatcher is not None and dispatcher is not threading.current_thread() and dispatcher.is_alive():
            dispatcher.join()

    def _dispatch(self) -> None:
        try:
            while (delivery := self._next_delivery()) is not None:
                self._deliver(delivery)
        except MQError as error:
            self._tell_failure(error)

    def _next_delivery(self) -> Delivery | None:
        """Wait for the next call to make; None when the consumers are stopped. MQError if the queue manager failed."""
        manager, connection = self._manager, self._connection
        with self._embedded.lock:
            delivery = None
            while delivery is None:
                if manager.failure is None and not self.connected:
                    return None
                delivery = manager.next_delivery(self.hconn)
                if delivery is None:
                    if not connection.consuming:
                        return None
                    self._embedded.await_news(self._something_to_do)
            lsn = connection.lsn
        self._embedded.force(lsn)
        return delivery

    def _tell_failure(self, error: MQError) -> None:
        """The queue manager has failed: the event handler, or else every consumer, hears of it."""
        handler = self._connection.event_handler
        for consumer in [handler] if handler is not None else list(self._connection.consumers.values()):
            hobj = consumer.handle.hobj if consumer.handle is not None else 0
            cbc = MQCBC(
                CallType=C.MQCBCT_EVENT_CALL, Hobj=hobj, CompCode=C.MQCC_FAILED, Reason=error.reason,
                State=C.MQCS_STOPPED,
            )  # fmt: skip
            self._deliver(Delivery(consumer, cbc, area=consumer.area))

    @staticmethod
    def _deliver(delivery: Delivery) -> None:
        try:
            delivery.consumer.callback(delivery.md, delivery.gmo, delivery.data, delivery.cbc)
        except Exception:
            # A consumer's mistake must not end the deliveries of the others; MQ would end the process
            traceback.print_exc(file=sys.stderr)


def _alike(puts: Sequence[tuple[PutCall, bytes]], start: int) -> list[bytes]:
    """The data of puts that follow each other and are of the same kind, as far as they go together."""
    kind, run, room = puts[start][0], list[bytes](), _RUN_BYTES
    for put, data in itertools.islice(puts, start, start + _RUN_MESSAGES):
        if put is not kind or (run and len(data) > room):
            break
        run.append(data)
        room -= len(data)
    return run


def _answer_it(pmo: MQPMO) -> None:
    """All or none is for the caller to decide, who must hear of each put whatever DEFPRESP says."""
    pmo.Options = pmo.Options & ~C.MQPMO_ASYNC_RESPONSE | C.MQPMO_SYNC_RESPONSE


def _some_failed(troubles: Sequence[MQError], count: int) -> MQError:
    first = troubles[0]
    detail = f"{len(troubles)} of {count} messages could not be put: {first.detail}"
    return mq_error(first.reason, first.object_name, detail)
