"""MQPUT and its kin over a connection: one, one that nobody waits for, many that are answered together."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from libremq.client.remote import remote_calls as rc
from libremq.client.remote.request_bytes import PutBytes, Requests
from libremq.host.binding import PutCall, PutItem
from libremq.host.message_calls import MessageCalls
from libremq.kernel.properties.given_properties import encoded_properties
from libremq.kernel.properties.message_handles import MessageHandles
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQMD, MQOD, MQPMO, MQPMR, MQSTS
from libremq.wire.protocol import Type
from libremq.wire.segments import frame

if TYPE_CHECKING:
    from libremq.client.remote.remote_link import RemoteLink, Slot

_NO_HANDLE = -1  # for MQPUT1
_SENT_AHEAD = 16  # messages of `put_many`
_RESPONSES = C.MQPMO_ASYNC_RESPONSE | C.MQPMO_SYNC_RESPONSE


class RemotePuts(MessageCalls):
    """The puts of a connection."""

    _link: RemoteLink
    _slot: Slot
    _lock: threading.RLock
    _message_handles: MessageHandles
    _requests: Requests
    _opened: set[int]
    _unanswered: set[int]
    _open_async: bool
    _untold: MQSTS | None

    def _check(self) -> None:
        """Is the connection there, and may this thread use it?"""
        raise AssertionError("a connection says that")

    def _call(self, kind: int, body: bytes) -> Any:
        raise AssertionError("a connection does that")

    def _words(self) -> tuple[str, str] | None:
        raise AssertionError("a connection has them")

    def _deadline(self, wait_ms: int = 0) -> float | None:
        raise AssertionError("a connection has one")

    def put(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, records: Sequence[MQPMR] = ()) -> int:
        if records:
            return self._put_list(hobj, md, pmo, data, records)
        options = pmo.Options
        if self._is_async(hobj, options):
            with self._lock:
                self._check()
                if hobj in self._opened:
                    self._send_async(hobj, md, pmo, data)
                    return C.MQRC_NONE
                # What is wrong with the call itself is told at once; and every destination of a list has an outcome
                pmo.Options = options & ~C.MQPMO_ASYNC_RESPONSE | C.MQPMO_SYNC_RESPONSE
                try:
                    return self.put(hobj, md, pmo, data)
                finally:
                    pmo.Options = options
        self._check_length(data)
        number, max_segment = self._slot.number, self._link.agreed.max_segment
        request = self._requests.put(self, number, max_segment, hobj, md, pmo, data)
        if request is None:
            body = rc.put_request(self._message_handles, hobj, md, pmo, data)
            request = frame(Type.MQPUT, body, number, max_segment=max_segment)
        with self._lock:
            self._check()
            flow = self._link.exchange(self._slot, request, self._deadline())
            return rc.put_reply(flow, md, pmo, self._words())

    def put_message(
        self,
        hobj: int,
        put: PutCall,
        data: bytes,
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
        properties: Mapping[str, object] | None = None,
    ) -> bytes:
        made: PutBytes | None = put.made
        if made is None or not made.is_for(self, hobj):
            made = put.made = PutBytes(self, self._slot.number, self._link.agreed.max_segment, hobj, put)
        if made.with_handles or made.nobody_waits(by_default=hobj in self._unanswered):
            return super().put_message(hobj, put, data, message_id, correlation_id, properties)
        link = self._link
        if len(data) > link.agreed.max_message:
            raise self._too_long(data)
        encoded = encoded_properties(self._message_handles, properties) if properties else None
        request = made.request(data, message_id, correlation_id, encoded)
        with self._lock:
            self._check()
            return rc.put_message_reply(link.exchange(self._slot, request, self._deadline()), self._words())

    def put1_message(
        self,
        od: MQOD,
        put: PutCall,
        data: bytes,
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
        properties: Mapping[str, object] | None = None,
    ) -> bytes:
        made: PutBytes | None = put.made
        if made is None or not made.is_for(self, _NO_HANDLE):
            number, max_segment = self._slot.number, self._link.agreed.max_segment
            made = put.made = PutBytes(self, number, max_segment, _NO_HANDLE, put, od=od.copy())
        if made.with_handles:
            return super().put1_message(od, put, data, message_id, correlation_id, properties)
        self._check_length(data)
        encoded = encoded_properties(self._message_handles, properties) if properties else None
        request = made.request(data, message_id, correlation_id, encoded)
        with self._lock:
            self._check()
            return rc.put1_message_reply(self._link.exchange(self._slot, request, self._deadline()), self._words())

    def _is_async(self, hobj: int, options: int) -> bool:
        """Does nobody wait for the outcome of such a put?"""
        response = options & _RESPONSES
        return response == C.MQPMO_ASYNC_RESPONSE or (not response and hobj in self._unanswered)

    def _check_length(self, data: bytes) -> None:
        """The channel would be ended for a message that is too long for it."""
        if isinstance(data, bytes | bytearray | memoryview) and len(data) > self._link.agreed.max_message:
            raise self._too_long(data)

    def _too_long(self, data: bytes) -> MQError:
        limit = self._link.agreed.max_message
        detail = f"the message has {len(data)} bytes; the channel takes {limit} at most (MAXMSGL)"
        return mq_error(C.MQRC_DATA_LENGTH_ERROR, self._link.address.channel, detail)

    def _send_async(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes) -> None:
        self._check_length(data)
        sent = rc.ready_for_async(md, pmo)
        if not sent.Options & C.MQPMO_ASYNC_RESPONSE:
            sent = sent.copy()
            sent.Options |= C.MQPMO_ASYNC_RESPONSE
        body = rc.put_request(self._message_handles, hobj, md, sent, data)
        link = self._link
        link.send(frame(Type.MQPUT, body, self._slot.number, max_segment=link.agreed.max_segment), self._deadline())
        self._open_async = True

    def _put_list(self, hobj: int, md: MQMD, pmo: MQPMO, data: bytes, records: Sequence[MQPMR]) -> int:
        self._check_length(data)
        body = rc.put_list_request(self._message_handles, hobj, md, pmo, data, records)
        with self._lock:
            self._check()
            return rc.put_list_reply(self._call(Type.EXTENSION, body), md, pmo, records, self._words())

    def put_many(self, hobj: int, items: Sequence[PutItem]) -> None:
        """Several puts in one go: sent together, answered once. MQError is that of the first that failed.

        The others are done all the same: put them in a unit of work.
        """
        for _, _, data in items:
            self._check_length(data)
        self._put_run((self._put_of_many(hobj, item) for item in items), len(items))

    def _put_of_many(self, hobj: int, item: PutItem) -> bytes:
        md, pmo, data = item
        pmo.Options = pmo.Options & ~C.MQPMO_SYNC_RESPONSE | C.MQPMO_ASYNC_RESPONSE
        body = rc.put_request(self._message_handles, hobj, md, rc.ready_for_async(md, pmo), data)
        return frame(Type.MQPUT, body, self._slot.number, max_segment=self._link.agreed.max_segment)

    def put_messages(
        self,
        hobj: int,
        puts: Sequence[tuple[PutCall, bytes]],
        message_id: bytes | None = None,
        correlation_id: bytes | None = None,
    ) -> list[bytes]:
        longest = self._link.agreed.max_message
        for put, data in puts:
            made: PutBytes | None = put.made
            if made is None or not made.is_for(self, hobj):
                number, max_segment = self._slot.number, self._link.agreed.max_segment
                made = put.made = PutBytes(self, number, max_segment, hobj, put, many=True)
            if made.with_handles:
                return super().put_messages(hobj, puts, message_id, correlation_id)
            if len(data) > longest:
                raise self._too_long(data)
        ids: list[bytes] = []

        def requests() -> Iterator[bytes]:
            for put, data in puts:
                made: PutBytes = put.made
                new_id, new_correlation_id = made.new_ids(message_id, correlation_id)
                ids.append(new_id)
                yield made.request(data, new_id, new_correlation_id)

        self._put_run(requests(), len(puts))
        return ids

    def _put_run(self, requests: Iterator[bytes], count: int) -> None:
        """Puts that are answered together. One that cannot be sent is the last."""
        link, number = self._link, self._slot.number
        with self._lock:
            self._check()
            if self._open_async:
                sts = MQSTS()
                # What became of puts before these is not to be mixed up with them
                rc.status_reply(
                    self._call(Type.MQSTAT, rc.status_request(C.MQSTAT_TYPE_ASYNC_ERROR, sts)), sts, self._words()
                )
                self._earlier_async(sts)
            parts: list[bytes] = []
            unfit: MQError | None = None
            while True:
                try:
                    request = next(requests, None)
                except MQError as error:
                    unfit = error
                    break
                if request is None:
                    break
                parts.append(request)
                if len(parts) == _SENT_AHEAD:
                    link.send(b"".join(parts))  # the queue manager works on these while the next are packed
                    parts.clear()
            sts = MQSTS()
            parts.append(frame(Type.MQSTAT, rc.status_request(C.MQSTAT_TYPE_ASYNC_ERROR, sts), number))
            rc.status_reply(link.exchange(self._slot, b"".join(parts), self._deadline()), sts, self._words())
            if unfit is not None:
                raise unfit
            if sts.CompCode == C.MQCC_FAILED:
                raise mq_error(
                    sts.Reason, sts.ObjectName, f"{sts.PutFailureCount} of {count} messages could not be put"
                )

    def _earlier_async(self, sts: MQSTS) -> None:
        """MQSTAT tells of a put once: it was told to us, and the application has not asked yet."""
        self._open_async = False
        if self._untold is not None:
            rc.add_status(sts, self._untold)
        self._untold = sts

    def put1(self, od: MQOD, md: MQMD, pmo: MQPMO, data: bytes) -> int:
        self._check_length(data)
        body = rc.put1_request(self._message_handles, od, md, pmo, data)
        with self._lock:
            self._check()
            return rc.put1_reply(self._call(Type.MQPUT1, body), od, md, pmo, self._words())
