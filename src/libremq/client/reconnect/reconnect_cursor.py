"""Where a handle browses, kept at the client so that a new connection can go on from there.

A cursor is a place between messages that come and go. What is known of it here are the messages that were browsed
last: the latest of them that is still on the queue has the same message behind it as the lost cursor had.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD

if TYPE_CHECKING:
    from libremq.client.remote.remote_connection import RemoteConnection

KEPT = 64
"""Messages that are remembered."""
_ALIKE_MAX = 1000
_MOVES = C.MQGMO_BROWSE_FIRST | C.MQGMO_BROWSE_NEXT
BROWSES = _MOVES | C.MQGMO_BROWSE_MSG_UNDER_CURSOR
_GONE = (C.MQRC_NO_MSG_AVAILABLE, C.MQRC_NO_MSG_UNDER_CURSOR)


class _Passed(NamedTuple):
    """A message that was browsed."""

    token: bytes  # of this run of the queue manager
    fields: tuple[object, ...]
    message_id: bytes
    correlation_id: bytes
    begins: bool  # logical order can begin here: not in the middle of a group or a message in segments

    def is_same(self, md: MQMD) -> bool:
        return self.fields == _fields(md)


def _fields(md: MQMD) -> tuple[object, ...]:
    """What a message keeps over a restart."""
    return (md.MsgId, md.CorrelId, md.GroupId, md.MsgSeqNumber, md.Offset, md.PutDate, md.PutTime)


class BrowseCursor:
    """The browse cursor of one handle."""

    def __init__(self) -> None:
        self._passed: deque[_Passed] = deque(maxlen=KEPT)
        self._all_known = True  # nothing was browsed since the beginning that is forgotten
        self._logical = False
        self._locks = False
        self._marks = False
        self.displaced = False
        """It stands before the message that it should stand on, which is gone."""

    @property
    def moved(self) -> bool:
        """Was anything browsed?"""
        return bool(self._passed)

    def note(self, md: MQMD, gmo: MQGMO, options: int) -> None:
        """A browse has succeeded."""
        self._locks = bool(options & C.MQGMO_LOCK)
        self._marks = self._marks or bool(options & C.MQGMO_MARK_BROWSE_HANDLE)
        if not options & _MOVES:
            return
        self.displaced = False
        if options & C.MQGMO_BROWSE_FIRST:
            self._passed.clear()
            self._all_known = True
        self._logical = bool(options & C.MQGMO_LOGICAL_ORDER)
        if len(self._passed) == KEPT:
            self._all_known = False
        begins = md.MsgSeqNumber == 1 and md.Offset == 0
        self._passed.append(_Passed(gmo.MsgToken, _fields(md), md.MsgId, md.CorrelId, begins))

    def unlock(self) -> None:
        self._locks = False

    # On a new connection

    def restore(self, connection: RemoteConnection, hobj: int) -> list[str]:
        """Stand where the lost cursor stood; what could not be kept."""
        lost: list[str] = []
        if self._marks:
            self._marks = False
            lost.append("messages that this handle has marked are not marked any more")
        if not self._passed:
            return lost
        if self._logical:
            index = self._find_logical(connection, hobj)
        else:
            index = self._find_physical(connection, hobj)
        last = len(self._passed) - 1
        self.displaced = index < last
        if index < 0 and not self._all_known:
            lost.append("the browse begins anew: none of the messages browsed last is there any more")
        if self._locks:
            self._locks = False
            if index < last or not self._lock(connection, hobj):
                lost.append("the message under the browse cursor is not locked any more")
            else:
                self._locks = True
        return lost

    def _find_physical(self, connection: RemoteConnection, hobj: int) -> int:
        """Stand on the latest message that is there; its index, or -1 if there is none."""
        for index in range(len(self._passed) - 1, -1, -1):
            if self._stand_on(connection, hobj, self._passed[index]):
                return index
        return -1

    def _stand_on(self, connection: RemoteConnection, hobj: int, wanted: _Passed) -> bool:
        """Several messages may have the same ids: the token tells them apart, unless the queue manager restarted."""
        alike: int | None = None
        direction = C.MQGMO_BROWSE_FIRST
        for count in range(_ALIKE_MAX):
            found = self._browse(connection, hobj, direction, wanted)
            if found is None:
                break
            md, gmo = found
            if wanted.is_same(md):
                if gmo.MsgToken == wanted.token:
                    return True
                if alike is None:
                    alike = count
            direction = C.MQGMO_BROWSE_NEXT
        if alike is None:
            return False
        direction = C.MQGMO_BROWSE_FIRST
        for _ in range(alike + 1):
            if self._browse(connection, hobj, direction, wanted) is None:
                return False
            direction = C.MQGMO_BROWSE_NEXT
        return True

    def _find_logical(self, connection: RemoteConnection, hobj: int) -> int:
        """In logical order a group is entered at its first message, and followed from there."""
        logical = C.MQGMO_LOGICAL_ORDER
        for begin in range(len(self._passed) - 1, -1, -1):
            if not self._passed[begin].begins:
                continue
            found = self._browse(connection, hobj, C.MQGMO_BROWSE_FIRST | logical, self._passed[begin])
            if found is None or not self._passed[begin].is_same(found[0]):
                continue
            for index in range(begin + 1, len(self._passed)):
                found = self._browse(connection, hobj, C.MQGMO_BROWSE_NEXT | logical)
                if found is None or not self._passed[index].is_same(found[0]):
                    return index - 1
            return len(self._passed) - 1
        return -1

    def _lock(self, connection: RemoteConnection, hobj: int) -> bool:
        return self._browse(connection, hobj, C.MQGMO_BROWSE_MSG_UNDER_CURSOR | C.MQGMO_LOCK) is not None

    @staticmethod
    def _browse(
        connection: RemoteConnection, hobj: int, options: int, wanted: _Passed | None = None
    ) -> tuple[MQMD, MQGMO] | None:
        """One browse, without the data; None if there is no such message."""
        md = MQMD(Version=C.MQMD_VERSION_2)
        gmo = MQGMO(
            Version=C.MQGMO_VERSION_4,
            Options=options | C.MQGMO_ACCEPT_TRUNCATED_MSG | C.MQGMO_NO_PROPERTIES,
            MatchOptions=C.MQMO_NONE,
        )
        if wanted is not None:
            md.MsgId, md.CorrelId = wanted.message_id, wanted.correlation_id
            gmo.MatchOptions = C.MQMO_MATCH_MSG_ID | C.MQMO_MATCH_CORREL_ID
        try:
            connection.get(hobj, md, gmo, 0)
        except MQError as error:
            if error.reason in _GONE:
                return None
            raise
        return md, gmo
