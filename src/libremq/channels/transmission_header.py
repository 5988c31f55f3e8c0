"""The transmission header and the descriptor in it, read fast: it is in front of every message that arrives.

Nearly all of it is the same from message to message. Its parts are looked up by their bytes, and only what was not seen
before is taken apart. Both byte orders and all character sets of headers are read; text that a descriptor cannot hold
becomes question marks, since a name that is no name must not stop the message behind it.
"""

from __future__ import annotations

import struct

from libremq.common.ccsid import charset_of
from libremq.kernel.messages.descriptor_extension import without_extension
from libremq.kernel.verbs import groups, putting
from libremq.mqi import constants as C
from libremq.mqi.descriptor_parts import REMEMBERED_MAX, DescriptorParts
from libremq.mqi.errors import mq_error
from libremq.mqi.structs import MQMD, MQXQH
from libremq.store.stored_message import Message, Origin

_ASCII = bytes(range(32, 127))
HEADER_BYTES = MQXQH.size()
NAMES_BYTES = 112
"""StrucId to RemoteQMgrName, and StrucId and Version of the descriptor."""
DESCRIPTOR_AT = 104
BODY_AT = NAMES_BYTES
EXPIRY_AT = 120
HEAD = slice(112, 152)
"""Report to Persistence."""
MESSAGE_ID = slice(152, 176)
IDS = slice(152, 200)
CONTEXT = slice(200, 408)
"""BackoutCount to PutApplName."""
REPLY_TO_Q = slice(4, 52)
"""In the context."""
STAMP = slice(408, 428)
"""PutDate, PutTime, ApplOriginData."""
USER = slice(300, 312)


def check_kept(md: MQMD, name: str) -> None:
    """Refuse a descriptor that no queue here could keep. What the other end left out it cannot mean any more."""
    putting.check_values(md, name, remote=True)
    groups.check_flags(md, name)
    if md.Priority < 0:
        raise mq_error(C.MQRC_PRIORITY_ERROR, name, f"priority {md.Priority} in a message that has arrived")
    if md.Persistence not in (C.MQPER_PERSISTENT, C.MQPER_NOT_PERSISTENT):
        raise mq_error(C.MQRC_PERSISTENCE_ERROR, name, f"persistence {md.Persistence} in a message that has arrived")


class HeaderReader:
    """Reads the headers of one encoding and character set."""

    __slots__ = ("_charset", "_integer", "_names", "ccsid", "encoding", "has_ascii", "parts")

    def __init__(self, encoding: int, ccsid: int) -> None:
        self.encoding = encoding
        self.ccsid = ccsid
        order = ">" if encoding & C.MQENC_INTEGER_MASK == C.MQENC_INTEGER_NORMAL else "<"
        self._charset = charset_of(ccsid)
        self._integer = struct.Struct(order + "i")
        self._names: dict[bytes, tuple[str, str]] = {}
        self.has_ascii = _ASCII.decode(self._charset, "replace").encode() == _ASCII
        """Are the letters and digits of its character set those of ASCII?"""
        self.parts = DescriptorParts(b" ", exact=False, order=order, charset=self._charset)

    def names(self, data: bytes) -> tuple[str, str]:
        """Queue and queue manager that the message is for. MQRC_XQH_ERROR if there is no header."""
        if len(data) < HEADER_BYTES:
            raise mq_error(C.MQRC_XQH_ERROR, "", f"{len(data)} bytes are too few for a transmission header")
        raw = data[:NAMES_BYTES]
        found = self._names.get(raw)
        if found is None:
            if self._text(raw[:4]) != "XQH" or self._integer.unpack_from(raw, 4) != (C.MQXQH_VERSION_1,):
                raise mq_error(C.MQRC_XQH_ERROR, "", "the message does not begin with a transmission header")
            at = DESCRIPTOR_AT
            if self._text(raw[at : at + 4]) != "MD" or self._integer.unpack_from(raw, at + 4) != (C.MQMD_VERSION_1,):
                raise mq_error(C.MQRC_MD_ERROR, "", "there is no version 1 descriptor in the transmission header")
            found = self._text(raw[8:56]), self._text(raw[56:104])
            if len(self._names) >= REMEMBERED_MAX:
                self._names.clear()
            self._names[raw] = found
        return found

    def _text(self, raw: bytes) -> str:
        return raw.decode(self._charset, "replace").partition("\0")[0].rstrip(" ")

    def message(self, data: bytes, origin: Origin | None = None) -> Message:
        """The message behind a header that `names` has found good: version 2 descriptor, and data as they were put.

        Properties stay in their MQRFH2, where every get finds them. MQRC_MDE_ERROR for an extension that is none.
        """
        md = MQMD.__new__(MQMD)
        fields = md.__dict__
        self.parts.unpack(data, BODY_AT, fields, version_1=True)
        fields["Version"] = C.MQMD_VERSION_2
        fields.pop("BackoutCount", None)
        return Message(md, b"", without_extension(md, data[HEADER_BYTES:]), origin)

    def expiry(self, data: bytes) -> int:
        return int(self._integer.unpack_from(data, EXPIRY_AT)[0])

    def packed(self, number: int) -> bytes:
        return self._integer.pack(number)
