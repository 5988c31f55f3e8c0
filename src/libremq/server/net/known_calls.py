"""Puts and gets of a link that are like ones before: run by their bytes, many in one go.

The first of its kind takes the ordinary way, from the segment to the verb and back (`conversation`). If it went well
and is one of those that go by a form (`put_forms`, `plain_gets`), it is noted here with its bytes; whatever then comes
with the same bytes is run without being taken apart. What is not quite like it, or could fail, is left for the ordinary
way, with nothing done.

Off (LIBREMQ_KNOWN_CALLS=no, for comparing the two), everything takes the ordinary way.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from libremq.kernel.properties.message_properties import is_stored_form
from libremq.kernel.verbs.plain_gets import ANY, Plain, is_plain
from libremq.kernel.verbs.put_forms import PutForm
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQPMO
from libremq.server.net.turn_budget import BYTES_A_TURN, FLOWS_A_TURN
from libremq.wire.calls import OD_BYTES
from libremq.wire.calls_alike import (
    GET_BYTES,
    GET_KIND,
    HEAD_AT,
    IDS_AT,
    IDS_END,
    KIND_AT,
    PUT1_KIND,
    PUT_DATA_AT,
    PUT_KIND,
    LikeGet,
    LikePut,
    like_get,
    like_put,
    like_put1,
    parse_puts,
)
from libremq.wire.segments import Flow

if TYPE_CHECKING:
    from libremq.server.net.client_link import Link
    from libremq.server.net.conversation import Conversation

KNOWN_MAX = 256
"""Kinds of calls that are remembered of a link. Then it begins anew."""
_ALIKE_MAX = 4  # of them that differ behind their ids only: in options, reply queues, properties
_ANY_ID = bytes(24)
_ENABLED = os.environ.get("LIBREMQ_KNOWN_CALLS", "") != "no"


def are_run() -> bool:
    """May a call take another way than the ordinary one?"""
    return _ENABLED


def may_be_handed_bytes(conversation: Conversation, hobj: int, md: MQMD, gmo: MQGMO) -> bool:
    """Of a get that waits: may a plain message that comes be handed to it without being taken apart?"""
    return (
        _ENABLED
        and md.Version == C.MQMD_VERSION_2
        and gmo.Version >= C.MQGMO_VERSION_3
        and (not gmo.MsgHandle or bool(gmo.Options & C.MQGMO_PROPERTIES_IN_HANDLE))
        and is_plain(conversation.manager.handle(conversation.hconn, hobj), gmo)
    )


class _KnownPut:
    __slots__ = ("conversation", "form", "like", "others")

    def __init__(self, conversation: Conversation, like: LikePut, form: PutForm) -> None:
        self.conversation = conversation
        self.like = like
        self.form = form
        self.others: tuple[_KnownPut, ...] = ()
        """That begin with the same bytes, and differ behind their ids."""

    def kinds(self) -> Iterator[_KnownPut]:
        yield self
        yield from self.others


class _KnownGet:
    __slots__ = ("by_correlation_id", "by_message_id", "conversation", "hobj", "like", "options", "with_properties")

    def __init__(self, conversation: Conversation, like: LikeGet, hobj: int, gmo: MQGMO) -> None:
        self.conversation = conversation
        self.like = like
        self.hobj = hobj
        self.options = gmo.Options
        self.with_properties = like.has_handle and bool(gmo.Options & C.MQGMO_PROPERTIES_IN_HANDLE)
        self.by_message_id = bool(gmo.MatchOptions & C.MQMO_MATCH_MSG_ID)
        self.by_correlation_id = bool(gmo.MatchOptions & C.MQMO_MATCH_CORREL_ID)

    def ids(self, given: bytes) -> bytes:
        """Those that a message must have."""
        if given == ANY or (self.by_message_id and self.by_correlation_id):
            return given
        return (given[:24] if self.by_message_id else _ANY_ID) + (given[24:] if self.by_correlation_id else _ANY_ID)


class KnownCalls:
    """The calls that one link is known to make."""

    __slots__ = ("_gets", "_link", "_puts")

    def __init__(self, link: Link) -> None:
        self._link = link
        self._puts: dict[bytes, _KnownPut] = {}
        self._gets: dict[bytes, _KnownGet] = {}

    def forget(self) -> None:
        """A handle is closed, or a conversation has ended: its numbers may come to mean something else."""
        self._puts.clear()
        self._gets.clear()

    def note_put(
        self, conversation: Conversation, flow: Flow, hobj: int, md: MQMD, pmo: MQPMO, reply: bytes = b""
    ) -> None:
        """A put went well; `md` and `pmo` are as it has filled them."""
        if not _ENABLED:
            return
        like = like_put(flow, reply)
        form = conversation.manager.form_of(conversation.hconn, hobj, md, pmo) if like is not None else None
        if like is not None and form is not None:
            self._keep(_KnownPut(conversation, like, form))

    def note_put1(self, conversation: Conversation, flow: Flow, form: PutForm, reply: bytes) -> None:
        """An MQPUT1 went well, and this is the form of those like it."""
        like = like_put1(flow, reply) if _ENABLED else None
        if like is not None:
            self._keep(_KnownPut(conversation, like, form))

    def _keep(self, known: _KnownPut) -> None:
        like, before = known.like, self._puts.get(known.like.head)
        if before is None:
            if len(self._puts) >= KNOWN_MAX:
                self._puts.clear()
        else:
            known.others = tuple(
                one for one in before.kinds()
                if (one.like.behind, one.like.with_properties) != (like.behind, like.with_properties)
            )[: _ALIKE_MAX - 1]  # fmt: skip
        self._puts[like.head] = known

    def note_get(self, conversation: Conversation, flow: Flow, hobj: int, gmo: MQGMO, reply: bytes) -> None:
        """A get for any length went well."""
        if not _ENABLED or not is_plain(conversation.manager.handle(conversation.hconn, hobj), gmo):
            return
        like = like_get(flow, reply)
        if like is not None:
            if len(self._gets) >= KNOWN_MAX:
                self._gets.clear()
            self._gets[like.request] = _KnownGet(conversation, like, hobj, gmo)

    def take(self, data: bytes) -> tuple[int, int]:
        """Run the known calls at the beginning, as far as a turn goes. How many bytes they took, and how many calls.

        Under the kernel's lock.
        """
        used = calls = 0
        while calls < FLOWS_A_TURN and used <= BYTES_A_TURN and len(data) - used >= GET_BYTES:
            kind = data[used + KIND_AT]
            if kind == PUT_KIND and self._puts:
                more, count = self._run_puts(data, used, FLOWS_A_TURN - calls)
            elif kind == PUT1_KIND and self._puts:
                more, count = self._run_put1(data, used)
            elif kind == GET_KIND and self._gets:
                more, count = self._run_get(data, used)
            else:
                break
            if not count:
                break
            used += more
            calls += count
        if calls:
            link = self._link
            link.counters.calls += calls
            link.counters.last_call = time.time()
        return used, calls

    def _run_puts(self, data: bytes, start: int, most: int) -> tuple[int, int]:
        """Puts that are alike and follow each other."""
        first = self._puts.get(data[start + HEAD_AT : start + IDS_AT])
        if first is None or not first.conversation.takes_known:
            return 0, 0
        run = self._run_kind(first, data, start, most)
        if not run[1]:
            for known in first.others:
                run = self._run_kind(known, data, start, most)
                if run[1]:
                    break
        return run

    def _run_kind(self, known: _KnownPut, data: bytes, start: int, most: int) -> tuple[int, int]:
        if known.like.with_properties:
            return self._run_one(known, data, start)
        like, form, link = known.like, known.form, self._link
        agreed = link.agreed
        assert agreed is not None
        end = min(len(data), start + BYTES_A_TURN + agreed.max_segment)
        length_max = min(agreed.max_message, link.segment_limit - PUT_DATA_AT)
        ids, contents, ends = parse_puts(data, start, end, like.head, like.behind, length_max, most, BYTES_A_TURN)
        if not ids:
            return 0, 0
        answer, count = b"", 0

        def run() -> tuple[None, int]:
            nonlocal answer, count
            if len(ids) == 1:
                one = form.put(ids[0], contents[0])
                if one is None:
                    return None, 0
                count = 1
                if like.is_answered:
                    answer = like.answer(one.ids, one.stamp, len(contents[0]))
                return None, one.lsn
            position = 0
            for filled in form.put_several(ids, contents):
                done, count = count, count + len(filled.ids)
                if like.is_answered:
                    answer += like.answers(filled.ids, filled.stamp, contents[done:count])
                position = max(position, filled.lsn)
            return None, position

        connection = form.connection
        known.conversation.manager.run(connection, run)
        if answer:
            link.send(answer, connection.lsn, count)
        return (ends[count - 1] - start, count) if count else (0, 0)

    def _run_put1(self, data: bytes, start: int) -> tuple[int, int]:
        """An MQPUT1, for which there is no open handle."""
        first = self._puts.get(data[start + HEAD_AT : start + IDS_AT + OD_BYTES])
        if first is None or not first.conversation.takes_known:
            return 0, 0
        for known in first.kinds():
            run = self._run_one(known, data, start)
            if run[1]:
                return run
        return 0, 0

    def _run_one(self, known: _KnownPut, data: bytes, start: int) -> tuple[int, int]:
        """One put, with properties or without."""
        link, like, form = self._link, known.like, known.form
        agreed = link.agreed
        assert agreed is not None
        found = like.parse(data, start, min(agreed.max_message, link.segment_limit - PUT_DATA_AT - like.before))
        if found is None:
            return 0, 0
        ids, properties, content, end = found
        if properties and not is_stored_form(properties):
            return 0, 0
        filled = known.conversation.manager.put_like(form, ids, content, properties)
        if filled is None:
            return 0, 0
        if like.is_answered:
            link.send(like.answer(filled.ids, filled.stamp, len(properties) + len(content)), form.connection.lsn)
        return end - start, 1

    def _run_get(self, data: bytes, start: int) -> tuple[int, int]:
        """One get, of whatever comes or by its ids."""
        known = self._gets.get(data[start + HEAD_AT : start + IDS_AT] + data[start + IDS_END : start + GET_BYTES])
        if known is None or data[start : start + HEAD_AT] != _GET_HEAD or not known.conversation.takes_known:
            return 0, 0
        link, conversation, like = self._link, known.conversation, known.like
        agreed, event_loop = link.agreed, link.event_loop
        assert agreed is not None
        if link.is_full() or event_loop.buffered_bytes > event_loop.limits.buffer_bytes_max:
            return 0, 0
        length_max = min(agreed.max_message, link.max_segment - GET_BYTES)
        answer = b""

        def before(found: list[Plain]) -> int:
            nonlocal answer
            message, body, token = found[0]
            properties, content = message.properties, message.data
            if len(properties) + len(content) > length_max:
                return 0
            answer = like.answer(body, token, content, properties)
            return 1

        if not conversation.manager.get_plain(
            conversation.hconn, known.hobj, known.options, before,
            ids=known.ids(data[start + IDS_AT : start + IDS_END]), with_properties=known.with_properties,
        ):  # fmt: skip
            return 0, 0
        connection = conversation.connection
        assert connection is not None
        link.send(answer, connection.lsn)
        return GET_BYTES, 1


_GET_HEAD = b"TSHM" + GET_BYTES.to_bytes(4, "big")
