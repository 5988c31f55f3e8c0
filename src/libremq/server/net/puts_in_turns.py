"""A long message that a client puts: received in pieces, joined by a thread, and put in turns of the loop.

Its bytes are touched as a whole by nobody who has others to look after. The segments are joined by a thread, which lets
go of the interpreter meanwhile. Then the data is logged part by part, each in a turn of its own (`kernel.verbs.
long_puts`); when the log's buffer is full the next part waits for the force, and the loop does not. The conversation is
busy until the put is done: what it sends meanwhile waits, and so order is kept.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING

from libremq.common.messages.spoken_of import speak_of
from libremq.kernel.verbs.long_puts import LongPut
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQPMO
from libremq.server.net.property_blocks import PropertyBlocks, length_of_blocks
from libremq.wire.segments import LongFlow

if TYPE_CHECKING:
    from libremq.server.net.conversation import Conversation


class PutInTurns:
    """One MQPUT or MQPUT1, from its flow to the moment in which it is put."""

    def __init__(
        self,
        conversation: Conversation,
        flow: LongFlow,
        pmo: MQPMO,
        place: slice,
        *,
        begin: Callable[[bytes], LongPut | None],
        put: Callable[[bytes, PutInTurns], None],
    ) -> None:
        """`place`: where in the flow is the data; `begin` and `put` are the call's first and last moment."""
        self.length = place.stop - place.start
        self.long_put: LongPut | None = None
        self.properties: AbstractContextManager[object] = nullcontext()
        self._conversation = conversation
        self._event_loop = conversation.event_loop
        self._flow = flow
        self._pmo = pmo
        self._begin = begin
        self._put = put
        self._data = b""
        self._error: MQError | None = None
        self._waits_for = 0
        self._held = flow.length
        conversation.hold_up()
        conversation.link.note_backlog(self._held)
        before = min(length_of_blocks(pmo), self.length) if conversation.link.ours else 0
        pieces = flow.take_pieces()
        future = self._event_loop.loop.run_in_executor(None, _joined, pieces, place, before)
        future.add_done_callback(self._joined)

    def _joined(self, future: asyncio.Future[tuple[bytes, bytes]]) -> None:
        """The data is there in one piece, and the properties that came before it."""
        conversation = self._conversation
        if conversation.is_gone or future.cancelled():
            self._end()
            return
        speak_of(conversation.link.peer)
        try:
            blocks, self._data = future.result()
            with self._event_loop.lock:
                if blocks:
                    properties = PropertyBlocks(conversation, self._pmo, blocks, self._data)
                    properties.__enter__()
                    self.properties = properties
                self.long_put = self._begin(self._data)
        except MQError as error:
            self._error = error
        except Exception as error:
            self._end()
            conversation.link.refuse_unexpected(error)
            return
        if self.long_put is None:
            self._finish()
        else:
            self._next_turn()

    def _next_turn(self) -> None:
        self._event_loop.loop.call_soon(self._turn)

    def _turn(self) -> None:
        """One part."""
        conversation, long_put = self._conversation, self.long_put
        assert long_put is not None
        if conversation.is_gone:
            self._end()
            return
        speak_of(conversation.link.peer)
        try:
            with self._event_loop.lock:
                self._event_loop.manager.go_on_with_put(long_put)
        except Exception as error:
            self._end()
            conversation.link.refuse_unexpected(error)
            return
        if long_put.is_ready:
            self._finish()
        elif long_put.waits_for:
            self._waits_for = long_put.waits_for
            self._event_loop.replies.hold(self, self._waits_for)
        else:
            self._next_turn()
        self._event_loop.settle()

    def release(self, durable: int) -> bool:
        """The log is on disk so far."""
        if durable <= self._waits_for:
            return True
        self._next_turn()
        return False

    def _finish(self) -> None:
        """Nothing is left but the put itself, with all that there is to check."""
        try:
            self._conversation.go_on_with(self._flow, self._put_now)
        finally:
            self._end()

    def _put_now(self) -> None:
        try:
            if self._error is not None:
                raise self._error
            self._put(self._data, self)
        finally:
            self._let_go()

    def _let_go(self) -> None:
        """Under the lock."""
        self.properties.__exit__(None, None, None)
        if self.long_put is not None:
            with suppress(MQError):  # if the log has no room for it now, the backout goes on later
                self._event_loop.manager.end_long_put(self.long_put)

    def _end(self) -> None:
        with self._event_loop.lock:
            self._let_go()
        self._data = b""
        held, self._held = self._held, 0
        if held:
            self._conversation.link.note_backlog(-held)


def _joined(pieces: list[bytes], place: slice, before: int) -> tuple[bytes, bytes]:
    """What is in this place, in two parts: so many bytes at its beginning, and the rest. In a thread."""
    front, rest = _cut(pieces, place.start, place.start + before), _cut(pieces, place.start + before, place.stop)
    return b"".join(front), b"".join(rest)  # this lets go of the interpreter, as all of them are bytes


def _cut(pieces: list[bytes], start: int, stop: int) -> list[bytes]:
    """What of the pieces is between these places."""
    found, at = list[bytes](), 0
    for piece in pieces:
        end = at + len(piece)
        if end > start and at < stop:
            found.append(piece[max(0, start - at) : stop - at])
        at = end
    return found
