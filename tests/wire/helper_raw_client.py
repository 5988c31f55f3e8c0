"""A client of another product, as far as public layouts tell what one sends: any byte order, EBCDIC, any level.

It uses the tables of `helper_layouts` and a socket, and nothing of LibreMQ.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import helper_layouts as layouts
from helper_layouts import Segment, Values

LIMIT_S = 240.0
INITIAL, STATUS, USERID, HEARTBEAT, CONAUTH, SOCKET_ACTION, ASYNC_MESSAGE, REQUEST_MSGS, NOTIFICATION = (
    0x01, 0x05, 0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x0E, 0x0F,
)  # fmt: skip
CONN, DISC, OPEN, CLOSE, GET, PUT, PUT1, SET, INQ, CMIT, BACK, SPI, STAT = range(0x81, 0x8E)


class Reply:
    """A whole flow: the header of its first segment, its structures, and the data behind them."""

    def __init__(self, segments: list[Segment]) -> None:
        self.segments = segments
        self.first = segments[0]
        self.parts = {name: values for name, _, values in layouts.parts_of(self.first)}
        self.kind = self.first.kind
        self.flags = self.first.flags
        last_name, last_at, last = layouts.parts_of(self.first)[-1]
        end = last_at + layouts.size(last_name, last.get("Version"))
        data = self.first.raw[end:]
        skip = 24 if self.kind == ASYNC_MESSAGE else 0
        self.data = data + b"".join(segment.body[skip:] for segment in segments[1:])

    @property
    def api(self) -> Values:
        return self.parts["API"]

    @property
    def outcome(self) -> tuple[int, int]:
        return self.api["CompCode"], self.api["Reason"]


class RawClient:
    """One socket. `sharing` 0: no conversation ids at all."""

    def __init__(
        self, port: int, *, channel: str = "SYSTEM.DEF.SVRCONN", fap: int = 13, big: bool = False, ebcdic: bool = False,
        sharing: int = 10, max_segment: int = 32748, connect_bytes: int = 332, product: str = "MQJM09030500",
        id_bytes: int | None = None, max_message: int = 4194304,
    ) -> None:  # fmt: skip
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_S)
        self.big, self.ebcdic = big, ebcdic
        self.charset = "cp500" if ebcdic else "latin-1"
        self.channel, self.fap, self.connect_bytes = channel, fap, connect_bytes
        self.id_bytes = layouts.ID_LENGTHS[fap] if id_bytes is None else id_bytes
        self.wanted_sharing = sharing if self.id_bytes >= 208 else 0
        self.max_segment, self.max_message, self.product = max_segment, max_message, product
        self.conversation: int | None = None  # no ids before they are agreed
        self.agreed: Values = {}
        self.received: list[Segment] = []
        self._pending = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.socket.close()

    # Structures and segments

    def pack(self, name: str, values: Mapping[str, Any], length: int | None = None) -> bytes:
        return layouts.encode(name, values, big=self.big, charset=self.charset, length=length)

    def text(self, value: str) -> bytes:
        return value.encode(self.charset)

    def number(self, value: int) -> bytes:
        return (value & 0xFFFFFFFF).to_bytes(4, "big" if self.big else "little")

    def send(self, kind: int, body: bytes, *, flags: int = 0x30, request: int = 0, letter: str = " ") -> None:
        """In as many segments as were agreed to be needed."""
        conversation = None if letter == "C" else self.conversation
        room = self.max_segment - (28 if conversation is None else 36)
        pieces = [body[at : at + room] for at in range(0, len(body), room)] or [b""]
        for index, piece in enumerate(pieces):
            bits = flags
            if len(pieces) > 1:
                bits = (0x10 if index == 0 else 0) | (0x20 if index == len(pieces) - 1 else 0)
            self.socket.sendall(
                layouts.segment(
                    kind, piece, flags=bits, conversation=conversation, request=request, big=self.big,
                    ebcdic=self.ebcdic, letter=letter,
                )
            )  # fmt: skip

    def receive_segment(self) -> Segment | None:
        """None if the other end has closed the connection."""
        while True:
            if len(self._pending) >= 28:
                length = int.from_bytes(self._pending[4:8], "big")
                assert length >= 28
                if len(self._pending) >= length:
                    raw, self._pending = self._pending[:length], self._pending[length:]
                    found = layouts.read_segment(raw)
                    self.received.append(found)
                    return found
            data = self.socket.recv(65536)
            if not data:
                assert not self._pending, "the connection ended in the middle of a segment"
                return None
            self._pending += data

    def receive(self) -> Reply:
        """The next flow; heartbeats are answered on the way."""
        while True:
            segment = self.receive_segment()
            assert segment is not None, "the connection was closed"
            if segment.kind == HEARTBEAT:
                if segment.flags & 1:
                    self.send(HEARTBEAT, b"", flags=0)
                continue
            segments = [segment]
            if segment.kind >= 0x80 or segment.kind == ASYNC_MESSAGE:
                while not segments[-1].flags & 0x20:
                    following = self.receive_segment()
                    assert following is not None and following.kind == segment.kind and not following.flags & 0x10
                    segments.append(following)
            return Reply(segments)

    def ended(self) -> bool:
        """Does the queue manager close the connection, and nothing else?"""
        return self.receive_segment() is None

    # Connecting

    def initial_values(self) -> Values:
        values = {
            "StrucId": "ID", "FapLevel": self.fap, "CapFlags1": 0x26, "MaxTransmissionSize": self.max_segment,
            "MaxMsgSize": self.max_message, "ChannelName": self.channel, "CapFlags2": 0x51, "CCSID": 819,
            "QMgrName": "*", "HeartbeatInterval": 1, "EFLLength": self.id_bytes - 102,
        }  # fmt: skip
        if self.id_bytes >= 208:
            values |= {
                "ConversationsPerSocket": self.wanted_sharing, "CapFlags3": 0x08, "ProductId": self.product,
                "HdrCompList": b"\0\xff", "MsgCompList": b"\0".ljust(16, b"\xff"),
            }  # fmt: skip
        return values

    def offer(self) -> Reply:
        """The first initial data, and what it is answered with."""
        self.send(INITIAL, self.pack("ID", self.initial_values(), self.id_bytes), flags=0x31)
        return self.receive()

    def negotiate(self, *, keep: bool = False) -> None:
        """`keep`: the byte order and the code page."""
        answer = self.offer()
        assert answer.kind == INITIAL, f"{answer.parts}"
        agreed = answer.parts["ID"]
        self.agreed = agreed
        self.max_segment = agreed["MaxTransmissionSize"]
        shared = agreed.get("ConversationsPerSocket", 0) > 0
        if shared:
            self.conversation = 1
        if answer.flags & 0x02:
            # Something was corrected: once more, as a rule in the byte order of the queue manager
            if not keep:
                self.big, self.ebcdic, self.charset = answer.first.big, False, "latin-1"
            corrected = {name: value for name, value in agreed.items() if not name.startswith(("ECap", "Err"))}
            self.send(INITIAL, self.pack("ID", corrected, len(answer.first.body)), flags=0x31)
            again = self.receive()
            assert again.kind == INITIAL and not again.flags & 0x02
            flags = {name: value for name, value in again.parts["ID"].items() if name.startswith(("ECap", "Err"))}
            assert flags and not any(flags.values()), f"what was corrected is said again: {flags}"
            assert again.first.shared == shared

    def log_on(self, user: str, password: str, *, long_header: bool = False) -> Reply:
        """Credentials; with the header of level 17 if asked for."""
        values = {
            "StrucId": "CAUT", "AuthType": 1, "UserIdMaxLength": len(user), "PasswordMaxLength": len(password),
            "UserIdLength": len(user), "PasswordLength": len(password),
        }  # fmt: skip
        body = self.pack("CAUT", values) + (bytes(8) if long_header else b"") + self.text(user) + self.text(password)
        self.send(CONAUTH, body + (bytes(-len(body) % 4) if long_header else b""))
        return self.receive()

    def connect(self, name: str = "", application: str = "raw client", user: str = "tester") -> Reply:
        if self.conversation in (None, 1):
            self.send(USERID, self.pack("UID", {"StrucId": "UID", "UserId": user.upper(), "LongUserId": user}))
        body = self.pack(
            "CONN", {"QMgrName": name, "ApplName": application, "ApplType": 28, "Options": 3, "XOptions": 0}
        )
        if self.connect_bytes >= 260:
            body += self.pack("FCNO", {"StrucId": "FCNO", "Version": 1, "CapFlags": 4})
        return self.call(CONN, body.ljust(self.connect_bytes, b"\0"))

    def another_conversation(self, number: int) -> None:
        self.send(SOCKET_ACTION, self.pack("SOCKET_ACTION", {"ConversationId": number, "Type": 1}), letter="C")
        accepted = self.receive()
        assert accepted.kind == SOCKET_ACTION and accepted.first.conversation == number
        assert accepted.parts["SOCKET_ACTION"]["Type"] == 8
        self.conversation = number

    def end_conversation(self, number: int, *, last: bool = False) -> None:
        body = self.pack("SOCKET_ACTION", {"ConversationId": number, "Type": 2})
        self.send(SOCKET_ACTION, body, flags=0x38 if last else 0x30, letter="C")

    # Calls

    def call(self, kind: int, body: bytes = b"", hobj: int = 0) -> Reply:
        reply_length = 28 + 16 + len(body) + 10240
        self.send(kind, self.pack("API", {"ReplyLength": reply_length, "Hobj": hobj}) + body)
        reply = self.receive()
        assert reply.kind == kind + 0x10, f"{reply.kind:#x} {reply.parts}"
        assert reply.api["ReplyLength"] == sum(len(s.body) for s in reply.segments) + 28
        return reply

    def open(self, name: str, options: int, *, version: int = 1, kind: int = 1, attributes_bytes: int = 28) -> Reply:
        values = {"StrucId": "OD", "Version": version, "ObjectType": kind, "ObjectName": name, "DynamicQName": "AMQ.*"}
        body = self.pack("OD", values) + self.number(options)
        if attributes_bytes:
            form = {"StrucId": "FOPA", "Version": 1 if attributes_bytes == 28 else 2, "Length": attributes_bytes}
            more = {"DefPersistence": -1, "DefPutResponseType": -1}
            body += self.pack("FOPA", {**form, **more}).ljust(attributes_bytes, self.text(" "))
        return self.call(OPEN, body)

    def md(self, version: int = 2, **values: Any) -> bytes:
        start = {
            "StrucId": "MD", "Version": version, "MsgType": 8, "Expiry": -1, "Encoding": 273, "CCSID": 819,
            "Priority": -1, "Persistence": 2,
        }  # fmt: skip
        if version > 1:
            start |= {"MsgSeqNumber": 1, "OriginalLength": -1}
        return self.pack("MD", {**start, **values})

    def pmo(self, options: int = 4, version: int = 1, **values: Any) -> bytes:
        more = {"PubLevel": 9} if version > 2 else {}
        start = {"StrucId": "PMO", "Version": version, "Options": options, "Timeout": -1}
        return self.pack("PMO", {**start, **more, **values})

    def gmo(self, options: int = 4, version: int = 2, **values: Any) -> bytes:
        more: Values = {"MatchOptions": 3, "GroupStatus": 32, "SegmentStatus": 32, "Segmentation": 32, "Reserved1": 32}
        if self.ebcdic:
            more |= {name: 0x40 for name in more if name != "MatchOptions"}
        return self.pack("GMO", {"StrucId": "GMO", "Version": version, "Options": options, **more, **values})

    def put(self, hobj: int, data: bytes, *, options: int = 4, **md: Any) -> Reply:
        return self.call(PUT, self.md(**md) + self.pmo(options) + self.number(len(data)) + data, hobj)

    def put1(self, name: str, data: bytes, **md: Any) -> Reply:
        od = self.pack("OD", {"StrucId": "OD", "Version": 1, "ObjectType": 1, "ObjectName": name})
        return self.call(PUT1, od + self.md(**md) + self.pmo() + self.number(len(data)) + data, -1)

    def get(self, hobj: int, room: int = 4194304, *, options: int = 4, wait_ms: int = 0, **md: Any) -> Reply:
        body = self.md(**md) + self.gmo(options, WaitInterval=wait_ms) + self.number(room)
        return self.call(GET, body, hobj)

    def request_messages(
        self, hobj: int, *, options: int = 4, wait_ms: int = 0, flags: int = 0x18,
        match: Mapping[str, bytes] | None = None, max_length: int = -1, index: int = 1, received: int = 0,
        version: int = 2,
    ) -> Reply:  # fmt: skip
        """Ask for one message, as clients with shared conversations do for a plain get."""
        values = {
            "Version": 1, "Hobj": hobj, "ReceivedBytes": received, "RequestedBytes": 1, "MaxMsgLength": max_length,
            "GetMsgOptions": options, "WaitInterval": wait_ms, "RequestFlags": flags, "GlobalMsgIndex": index - 1,
        }  # fmt: skip
        body = self.pack("REQUEST_MSGS", values)
        if flags & 0x10:
            bits = {"MsgId": 1, "CorrelId": 2, "GroupId": 4, "MsgToken": 0x20}
            match = match or {}
            options_of = sum(bit for name, bit in bits.items() if name in match)
            block = {
                "SelectionIndex": index, "MDVersion": version, "CCSID": 819, "Encoding": 273, "MsgSeqNumber": 1,
                "MatchOptions": options_of,
            }  # fmt: skip
            body += self.pack("REQUEST_MSGS_SELECTION", block)
            body += b"".join(match[name] for name in bits if name in match)
        self.send(REQUEST_MSGS, body, request=1)
        return self.receive()

    def inquire(self, hobj: int, selectors: list[int], int_count: int, char_length: int) -> Reply:
        counts = self.pack(
            "INQ", {"SelectorCount": len(selectors), "IntAttrCount": int_count, "CharAttrLength": char_length}
        )
        return self.call(INQ, counts + b"".join(self.number(selector) for selector in selectors), hobj)

    def set(self, hobj: int, selectors: list[int], ints: list[int], chars: bytes = b"") -> Reply:
        counts = self.pack(
            "INQ", {"SelectorCount": len(selectors), "IntAttrCount": len(ints), "CharAttrLength": len(chars)}
        )
        return self.call(SET, counts + b"".join(self.number(value) for value in (*selectors, *ints)) + chars, hobj)

    def close(self, hobj: int, options: int = 0) -> Reply:
        return self.call(CLOSE, self.number(options), hobj)

    def disconnect(self) -> Reply:
        return self.call(DISC)
