"""What the sending agent does with a message between its transmission queue and the wire.

As a rule nothing: a message travels as it lies there, with the time it has left to live brought up to date in the
descriptor inside. With CONVERT(YES) its data are converted for the other end, and for an end that knows no properties
PROPCTL decides what becomes of them. What is no message for a channel, is longer than the channel takes or cannot be
converted goes to the dead-letter queue of this end, in the unit of work of the get.
"""

from __future__ import annotations

from calendar import timegm
from collections.abc import Callable
from functools import lru_cache

from libremq.channels.channel_environment import ChannelEnvironment
from libremq.channels.transmission_header import EXPIRY_AT, HEADER_BYTES, HeaderReader, check_kept
from libremq.channels.undelivered import Undelivered
from libremq.common.messages.amq_messages import amq
from libremq.kernel.conversion.convert_message import convert
from libremq.kernel.messages.transmission import FORMAT, frame
from libremq.kernel.objects.channel_definitions import SendingChannel
from libremq.kernel.properties.property_delivery import may_hold_properties, present
from libremq.kernel.verbs import channel_messages
from libremq.kernel.verbs.activities import wants
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error
from libremq.mqi.structs import MQMD
from libremq.store.stored_message import Message, Origin

_SEGMENT = C.MQMF_SEGMENT | C.MQMF_LAST_SEGMENT
_LAST_TENTH = 1
"""A message that had so much left to live when it came has less when it leaves, and less cannot be told. With a tenth
at every hop it would go round for ever where the definitions make a circle."""
_NOT_CONVERTED = (C.MQRC_NONE, C.MQRC_PARTIALLY_CONVERTED)


def message_for_wire(data: bytes, md: MQMD) -> bytes:
    """A message as it lay on the transmission queue, with the time left to live that the get has told.

    `md` is the descriptor that the get has returned.
    """
    order = "big" if md.Encoding & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL else "little"
    left = md.Expiry.to_bytes(4, order, signed=True)  # type: ignore[arg-type]
    return data[:EXPIRY_AT] + left + data[EXPIRY_AT + 4 :]


def microseconds_queued(md: MQMD, now: float) -> float:
    """How long a message has been on the transmission queue (XQTIME); as exact as its put time, a hundredth."""
    try:
        day = _day(md.PutDate)
        clock = md.PutTime
        put = day + int(clock[:2]) * 3600 + int(clock[2:4]) * 60 + int(clock[4:6]) + int(clock[6:8]) / 100
    except ValueError:
        return 0.0  # whoever put it left its context empty
    return max(0.0, now - put) * 1e6


@lru_cache(maxsize=4)
def _day(date: str) -> int:
    """When a day YYYYMMDD began. ValueError if it is none."""
    return timegm((int(date[:4]), int(date[4:6]), int(date[6:8]), 0, 0, 0))


class Transit:
    """The way out of one sending agent. `hconn` is its connection; what the other end is, negotiation has told."""

    def __init__(
        self,
        environment: ChannelEnvironment,
        channel: SendingChannel,
        hconn: int,
        *,
        xmitq: str,
        max_message: int,
        partner_ccsid: int,
        partner_encoding: int = C.MQENC_NATIVE,
        knows_properties: bool = True,
        knows_routes: bool = True,
        partner: str = "",
        connection_name: str = "",
    ) -> None:
        self._manager = environment.manager
        self._say = environment.say
        self._channel = channel
        self._connection = environment.manager.connection(hconn)
        self._xmitq = xmitq
        self._limit = HEADER_BYTES + max_message
        self._partner = partner_ccsid, partner_encoding
        self._converts = channel.convert == C.MQCDC_SENDER_CONVERSION
        self._drops_properties = not knows_properties and channel.propctl != C.MQPROP_ALL
        self._special = self._converts or self._drops_properties
        self._connection_name = connection_name
        self._reader = HeaderReader(C.MQENC_NATIVE, environment.manager.definitions.qmgr.ccsid)
        self.encoding = C.MQENC_NATIVE  # of the header of the last message that was prepared
        self.ccsid = self._reader.ccsid
        self._origin: Origin | None = None  # of the last message that was prepared, if it came from elsewhere
        self.undelivered = Undelivered(environment, channel, self._connection)
        self._tracer = channel_messages.tracer(
            environment.manager, self._connection, channel=channel.name, channel_type=channel.chltype,
            partner=partner, xmitq=xmitq, supports=knows_routes,
        )  # fmt: skip

    def prepare(self, md: MQMD, data: bytes, *, syncpoint: bool, origin: Origin | None = None) -> bytes | None:
        """The message as it travels; None if it went aside here, in the same unit of work.

        `md` and `data` are what the get has returned, and stay as they are. `encoding` and `ccsid` tell what the header
        is in. Raises Undeliverable, for a channel that has to end: when the batch is backed out, the message is on the
        transmission queue again.
        """
        self._origin = origin
        reader = self._reader
        if md.Encoding != reader.encoding or md.CodedCharSetId != reader.ccsid:
            reader = self._reader = HeaderReader(md.Encoding, md.CodedCharSetId)
        try:
            if md.Format.rstrip(" \0") != FORMAT:
                raise mq_error(C.MQRC_XQH_ERROR, self._xmitq, f"format {md.Format!r} on a transmission queue")
            if not (0 <= md.CodedCharSetId <= 0xFFFF and 0 <= md.Encoding <= 0xFFFFFFFF):
                what = f"CodedCharSetId {md.CodedCharSetId} and Encoding {md.Encoding} of a header cannot travel"
                raise mq_error(C.MQRC_XQH_ERROR, self._xmitq, what)
            names = reader.names(data)
        except MQError as error:
            self._not_for_channel(md, data, error, syncpoint)
            return None
        self.encoding, self.ccsid = reader.encoding, reader.ccsid
        if md.Expiry != C.MQEI_UNLIMITED:
            if reader.expiry(data) == _LAST_TENTH:
                channel_messages.expire(self._manager, self._connection, Message(md, b"", data, origin), syncpoint)
                return None
            data = message_for_wire(data, md)
        if wants(data):
            traced = self._traced(md, names, data, syncpoint)
            if traced is None:
                return None
            data = traced
        ready = self._changed(md, names, data, syncpoint) if self._special else data
        if ready is not None and len(ready) > self._limit:
            self._lay_aside(md, names, data, self._too_long(names[0], ready), syncpoint)
            return None
        return ready

    def _traced(self, md: MQMD, names: tuple[str, str], data: bytes, syncpoint: bool) -> bytes | None:
        """With what route tracing adds; None if a trace-route message goes no further."""
        departure = self._tracer.departing(md, data)
        if departure is None:
            return data
        try:
            data = departure.sent()
        except MQError as error:
            self.undelivered.lay_aside(departure.message, *names, error, syncpoint=syncpoint, passage=departure)
            return None
        channel_messages.report_departure(self._manager, self._connection, departure, syncpoint)
        return data

    def _changed(self, outer: MQMD, names: tuple[str, str], data: bytes, syncpoint: bool) -> bytes | None:
        """Without what the other end does not know, and converted; None if that cannot be done."""
        try:
            message = self._reader.message(data)
        except MQError:
            return data  # an extension that is none: the other end will say so
        md, body = message.md, message.data
        before = body
        if self._drops_properties and may_hold_properties(md.Format):
            body, md.Format, md.CodedCharSetId, md.Encoding, _ = present(
                None, md.Format, md.CodedCharSetId, md.Encoding, body, propctl=self._channel.propctl
            )
        if self._converts and md.Format.strip() and not md.MsgFlags & _SEGMENT:
            ccsid, encoding = self._partner
            own = self._manager.definitions.qmgr.ccsid
            done = convert(body, md.Format, md.Encoding, md.CodedCharSetId, encoding, ccsid, q_mgr_ccsid=own)
            if done.reason not in _NOT_CONVERTED:
                error = mq_error(
                    done.reason, names[0], f"the data of format {md.Format!r} cannot be converted (CONVERT)"
                )
                self._say(amq(9541, self._channel.name, error))
                channel_messages.tell_conversion_failed(
                    self._manager, self._channel.name, done.reason, md.Format, self._xmitq, self._connection_name
                )
                self._lay_aside(outer, names, data, error, syncpoint)
                return None
            body, md.CodedCharSetId, md.Encoding = done.data, done.ccsid, done.encoding
        if body is before or body == before:
            return data
        self.encoding = C.MQENC_NATIVE
        return frame(*names, md, body, self.ccsid)

    def suppress(self, md: MQMD, data: bytes, feedback: int, words: str, *, syncpoint: bool) -> None:
        """A message exit does not let a message pass that was prepared: it goes aside with the feedback of the exit."""

        def suppressed(name: str) -> MQError:
            return mq_error(C.MQRC_SUPPRESSED_BY_EXIT, name, words)

        self._lay_aside_prepared(md, data, suppressed, syncpoint, feedback)

    def still_fits(self, md: MQMD, data: bytes, *, syncpoint: bool) -> bool:
        """Is a message that was prepared not too long, as message exits have left it? Else it goes aside."""
        if len(data) <= self._limit:
            return True
        self._lay_aside_prepared(md, data, lambda name: self._too_long(name, data), syncpoint)
        return False

    def _too_long(self, name: str, data: bytes) -> MQError:
        length, limit = len(data) - HEADER_BYTES, self._limit - HEADER_BYTES
        why = f"{length} bytes; the channel takes {limit} (MAXMSGL of both ends)"
        return mq_error(C.MQRC_MSG_TOO_BIG_FOR_CHANNEL, name, why)

    def _lay_aside_prepared(
        self, md: MQMD, data: bytes, error: Callable[[str], MQError], syncpoint: bool, reason: int = 0
    ) -> None:
        """The same for one that was prepared: conversion may have changed its header, and an exit anything at all."""
        reader = HeaderReader(self.encoding, self.ccsid)
        try:
            names = reader.names(data)
            message = reader.message(data, self._origin)
            check_kept(message.md, names[0])
        except MQError as bad:
            self._not_for_channel(md, data, bad, syncpoint)
            return
        self.undelivered.lay_aside(message, *names, error(names[0]), syncpoint=syncpoint, reason=reason)

    def _lay_aside(self, md: MQMD, names: tuple[str, str], data: bytes, error: MQError, syncpoint: bool) -> None:
        """The message inside goes to the dead-letter queue here, under the names it was for."""
        try:
            message = self._reader.message(data, self._origin)
            check_kept(message.md, names[0])
        except MQError as bad:
            self._not_for_channel(md, data, bad, syncpoint)
            return
        self.undelivered.lay_aside(message, *names, error, syncpoint=syncpoint)

    def _not_for_channel(self, md: MQMD, data: bytes, error: MQError, syncpoint: bool) -> None:
        """Somebody put what has no header on the transmission queue: it goes aside as it is."""
        self._say(amq(9572, self._channel.name, error))
        own = md.copy()
        own.BackoutCount = 0
        self.undelivered.lay_aside(
            Message(own, b"", data, self._origin), self._xmitq, self._manager.name, error,
            syncpoint=syncpoint, reason=C.MQFB_XMIT_Q_MSG_ERROR,
        )  # fmt: skip
