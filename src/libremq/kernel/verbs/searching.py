"""The search of one get or browse through a queue, in slices, right whatever happens to the queue in between.

A search looks at messages in delivery order and keeps its place. What it has passed did not fit, and can fit only if
something happens to it: it comes or comes back, a lock or a mark on it ends, its group changes. The queue tells a
search that is under way of just these (`Watcher`), and it looks at them again before it goes on. So what it finds in
the end is the message that a search in one go would find at that moment, and if it finds none there is none. `_again`
holds what is to be looked at again: a heap in delivery order, each message once (`_noted`); entries for messages that
are gone by then are dropped.

Every message that comes to a group may make all of it available, so all of it is looked at again. That the group is
not there as a whole is found out once for all its messages (`_torn`), and holds until the group changes.

A search by message or correlation id goes from one that its index has to the next, else from message to message. The
index of a deep queue, which the first such search makes, is made in slices too.

A search that has come to the end and found nothing is what a waiting get waits with: what arrives is noted, and looked
at, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush

from libremq.kernel.state.connection import ObjectHandle
from libremq.kernel.state.core import Core
from libremq.kernel.state.queue_state import Cursor, QueueState
from libremq.kernel.state.turns import DISCARD, LOOK
from libremq.kernel.verbs import expiry, groups
from libremq.kernel.verbs.matching import GROUP_OPTIONS, MORE, Wanted, is_marked, reach
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD
from libremq.store.hash_index import HashIndex
from libremq.store.space_handles import GROUPED, LINKED, NONE

_Place = tuple[int, int]
_Entry = tuple[int, int, int]
_FRONT: _Place = (-16, 0)  # before all messages
_END: _Place = (1, 0)  # behind them
_NOTED_ONE_BY_ONE = 16
_SLOTS = 4  # that are passed by for a unit of work
_FEW = 64  # slots of one id that are passed by before it is quicker to go from message to message
_NEVER = 1 << 63
_BYTES = 10  # a unit of work for each 1024 bytes that may have to be read from the queue file


class Search:
    """What a get looks for, and how far it has come."""

    __slots__ = (
        "_after", "_again", "_by_correlation", "_by_message", "_core", "_cursor", "_fresh", "_gmo", "_grouped",
        "_groups", "_handle", "_listed", "_md", "_noted", "_now_ms", "_place", "_queue", "_start", "_store", "_torn",
        "_watches", "left", "wanted",
    )  # fmt: skip

    def __init__(self, core: Core, handle: ObjectHandle, queue: QueueState, md: MQMD, gmo: MQGMO) -> None:
        self._core = core
        self._handle = handle
        self._queue = queue
        self._md = md
        self._gmo = gmo
        self._cursor: Cursor | None = None
        self._watches = False
        self._fresh = True
        self._now_ms = 0
        self.left = 0  # of the slice that was given last
        self._begin()

    def _begin(self) -> None:
        """From the front, or from behind the browse cursor."""
        wanted = self.wanted = Wanted(self._handle, self._md, self._gmo)
        self._store = self._queue.store
        after = self._after = self._browsed_to(wanted)
        self._start = _FRONT if after is None else (-after.priority, after.sequence)
        self._place = self._start
        self._by_message, self._by_correlation = wanted.ids
        self._listed = wanted.token is not None or (
            wanted.group_id is not None and self._by_message is None and self._by_correlation is None
        )
        self._grouped = bool(wanted.options & GROUP_OPTIONS)
        self._again: list[_Entry] = []
        self._noted: set[_Entry] = set()  # the same
        self._groups: set[bytes] = set()
        # Of a group what is not there of it (`groups.needed`), and when one of its messages expires: another one with
        # the same number may then be in its place
        self._torn: dict[bytes, dict[int, int]] = {}

    def begin_anew(self) -> None:
        """What was passed may fit by now, and nobody knows which."""
        self._drop_cursor()
        self._begin()

    def _browsed_to(self, wanted: Wanted) -> Cursor | None:
        options = wanted.options
        if not options & C.MQGMO_BROWSE_NEXT or wanted.current is not None:
            return None
        return self._handle.group_cursor if options & C.MQGMO_LOGICAL_ORDER else self._handle.cursor

    def _is_current(self) -> bool:
        """Does it still look for what it began with? Another thread may use the handle while the get is under way."""
        wanted = self.wanted
        return (
            self._store is self._queue.store
            and groups.current(self._handle, wanted.options) is wanted.current
            and self._browsed_to(wanted) is self._after
        )

    # Slices

    def go_on(self, left: int) -> int:
        """The slot of the first message that fits; NONE if there is none, MORE if that takes another slice."""
        queue = self._queue
        if queue.damage is not None:
            raise queue.damage.again()
        if self._fresh:
            self._fresh = False
        elif not self._is_current():
            self.begin_anew()
        self.left = left
        self._now_ms = int(self._core.clock.now() * 1000)
        while True:
            if self._again or self._groups:
                found = self._look_again()
            elif self._place is _END:
                self.end()
                return NONE
            elif self._listed:
                found = self._list()
            else:
                found = self._look_further()
            if found == MORE:
                self.watch()
            if found != NONE:
                return found

    def end(self) -> None:
        """It is not gone on with, unless what arrives is noted. It does not hear of what goes any more."""
        self._drop_cursor()
        self._torn.clear()
        self._unwatch()

    def watch(self) -> None:
        """It goes on in another slice: hear of what happens until then."""
        if not self._watches:
            self._watches = True
            self._queue.watchers.append(self)

    def _unwatch(self) -> None:
        if self._watches:
            self._watches = False
            self._queue.watchers.remove(self)

    def _drop_cursor(self) -> None:
        if self._cursor is not None:
            self._queue.drop_cursor(self._cursor)
            self._cursor = None

    def _look_further(self) -> int:
        """From its place on, along the chains or those that an index knows."""
        queue = self._queue
        chains, expiry_ms = self._store.chains, self._store.handles.expiry_ms
        index = self._index()
        if index is not None and index.rest != NONE:
            return MORE
        cursor = self._cursor or self._after
        if cursor is not None:
            slot = self._behind(cursor, index)
        elif index is None:
            slot = chains.first_of_all()
        else:
            slot = chains.first_with(index, self._hash)
        while slot >= 0:
            if self.left <= 0:
                return self._stop_before(slot)
            if expiry_ms[slot] and expiry_ms[slot] <= self._now_ms:
                self._place = queue.delivery_order(slot)  # a report on it may come before those that are still to come
                cursor = queue.place_cursor(None, slot)
                try:
                    self._discard(slot)
                    slot = self._behind(cursor, index)
                finally:
                    queue.drop_cursor(cursor)
            elif self._fits(slot):
                return slot
            elif index is None:
                slot = chains.after(slot)
            else:
                slot = chains.after_with(index, slot)
        if slot == NONE:
            self._place = _END
        return slot

    @property
    def _hash(self) -> int:
        value = self._by_correlation if self._by_message is None else self._by_message
        assert value is not None
        return value

    def _index(self) -> HashIndex | None:
        """The index that knows the id, if there is one; made for as long as the slice allows."""
        chains = self._store.chains
        if self._by_message is not None:
            index = chains.by_message()
        elif self._by_correlation is not None:
            index = chains.by_correlation()
        else:
            return None
        if index.rest != NONE:
            self.left -= chains.index_some(index, max(1, self.left))
        return index

    def _stop_before(self, slot: int) -> int:
        """The slice is used up: this one comes next."""
        cursor = self._queue.cursor_before(slot)
        self._drop_cursor()
        self._cursor = cursor
        self._place = (-cursor.priority, cursor.sequence)
        return MORE

    def _behind(self, cursor: Cursor, index: HashIndex | None) -> int:
        """The next to look at behind a cursor; NONE, or MORE if the slice is used up on the way to it."""
        queue, chains = self._queue, self._store.chains
        slot = queue.after_cursor(cursor)
        if index is None or slot == NONE:
            return slot
        if index.rest != NONE:
            return self._stop_before(slot)  # somebody who was served meanwhile makes it anew
        if index.hashes[slot] == self._hash:
            return slot
        place, near = (-cursor.priority, cursor.sequence), chains.first_with(index, self._hash)
        for _ in range(_FEW):
            if near == NONE or queue.delivery_order(near) > place:
                return near
            near = chains.after_with(index, near)
        passed, hashes, value = 0, index.hashes, self._hash
        while slot != NONE and hashes[slot] != value:
            if passed >= max(1, self.left) * _SLOTS:
                self.left = 0
                return self._stop_before(slot)
            slot = chains.after(slot)
            passed += 1
        self.left -= passed // _SLOTS
        return slot

    def _list(self) -> int:
        """Note those that it is about, by token or of a group; what comes meanwhile is noted, too."""
        queue, start = self._queue, self._start
        places = [(*queue.delivery_order(slot), slot) for slot in self._candidates()]
        self._again = sorted(place for place in places if place[:2] > start)
        self._noted = set(self._again)
        self._place = _END
        return NONE

    def _candidates(self) -> Iterable[int]:
        store, wanted = self._store, self.wanted
        if wanted.token is not None:
            slot = self._queue.slot_of_token(wanted.token)
            return [slot] if slot != NONE and store.handles.flags[slot] & LINKED else []
        assert wanted.group_id is not None
        return store.groups.get(wanted.group_id, ())

    def _look_again(self) -> int:
        """At what has happened to those that it has passed."""
        again = self._again
        if self._groups:
            self._note_groups()
        while again:
            if self.left <= 0:
                return MORE
            entry = heappop(again)
            self._noted.discard(entry)
            slot = entry[2]
            if not self._is_there(entry):
                self.left -= 1
                continue
            try:
                fits = self._fits_now(slot)
            except BaseException:
                self._look_again_at(entry)
                raise
            if fits:
                self._look_again_at(entry)  # if handing it out fails
                return slot
        return NONE

    def _is_there(self, entry: _Entry) -> bool:
        slot = entry[2]
        return bool(self._store.handles.flags[slot] & LINKED) and self._queue.delivery_order(slot) == entry[:2]

    def _look_again_at(self, entry: _Entry) -> None:
        """Once, however often something happens to it. When most of what is noted must be gone, that is dropped."""
        again, noted = self._again, self._noted
        if entry in noted:
            return
        noted.add(entry)
        heappush(again, entry)
        if len(again) > 2 * len(self._store.chains):
            again[:] = filter(self._is_there, again)
            heapify(again)
            self._noted = set(again)

    # One message

    def _fits_now(self, slot: int) -> bool:
        expires = self._store.handles.expiry_ms[slot]
        if expires and expires <= self._now_ms:
            self._discard(slot)
            return False
        return self._fits(slot)

    def _discard(self, slot: int) -> None:
        """A report on it may come to the same queue."""
        self.left -= DISCARD
        watched = self._watches
        self.watch()
        try:
            expiry.discard(self._core, self._queue, slot)
        finally:
            if not watched:
                self._unwatch()

    def _fits(self, slot: int) -> bool:
        """Nothing changes by it."""
        queue, handle, store, wanted = self._queue, self._handle, self._store, self.wanted
        self.left -= LOOK
        if queue.locks and queue.locks.get(slot, handle) is not handle:
            return False
        if wanted.plain:
            return True
        if wanted.unmarked and is_marked(self._core, handle, queue, slot):
            return False
        if wanted.token is not None and queue.token(slot) != wanted.token:
            return False
        self.left -= store.handles.length[slot] >> _BYTES
        if not wanted.fits(store.descriptor(slot)):
            return False
        if wanted.selector is not None:
            selected = wanted.selects(store.message(slot))
            self.left -= wanted.cost
            if not selected:
                return False
        return not self._grouped or self._fits_in_group(slot)

    def _fits_in_group(self, slot: int) -> bool:
        """What `Reach.accepts` says, and no look at the group for what is known of it."""
        store, options, current = self._store, self.wanted.options, self.wanted.current
        md = store.descriptor(slot)
        if groups.out_of_turn(md, options, current):
            return False
        parts, group = groups.needed(md, options, current), md.GroupId
        if not parts:
            return True
        torn = self._torn.get(group)
        if torn is not None and any(torn.get(part, 0) > self._now_ms for part in parts):
            return False
        self.left -= len(store.groups.get(group, ())) * LOOK
        seen = reach(self._core, self._handle, self._queue)
        for part in parts:
            if not seen.has(group, part):
                self._torn.setdefault(group, {})[part] = self._next_expiry(group)
                return False
        return not options & C.MQGMO_COMPLETE_MSG or seen.begins_message(slot)

    def _next_expiry(self, group: bytes) -> int:
        expiry_ms, now_ms = self._store.handles.expiry_ms, self._now_ms
        times = (expiry_ms[slot] for slot in self._store.groups.get(group, ()))
        return min((time for time in times if time > now_ms), default=_NEVER)

    # What happens meanwhile

    def note(self, slot: int) -> None:
        """It has come, or is free again: if its place is passed, it is looked at again."""
        handles = self._store.handles
        if self._grouped and handles.flags[slot] & GROUPED:
            self._note_group(slot)
        if self._concerns(slot):
            place = self._queue.delivery_order(slot)
            if self._start < place <= self._place:
                self._look_again_at((*place, slot))

    def note_gone(self, slot: int) -> None:
        """Of two messages with one number in a group the second may have its turn."""
        if self._grouped and self._store.handles.flags[slot] & GROUPED:
            self._note_group(slot)

    def note_all(self, slots: Sequence[int]) -> None:
        """These have come to a queue on which nothing was found; others may have taken some of them since."""
        flags = self._store.handles.flags
        slots = [slot for slot in slots if flags[slot] & LINKED]
        if len(slots) <= _NOTED_ONE_BY_ONE or self._place is not _END or self._again:
            for slot in slots:
                self.note(slot)
        elif self._listed:
            self.begin_anew()
        else:
            # From the first of them on: nearly always they are the last on the queue
            place, slot = min((self._queue.delivery_order(slot), slot) for slot in slots)
            if self._grouped:
                for one in slots:
                    self.note_gone(one)
            if place > self._start:
                self._cursor = cursor = self._queue.cursor_before(slot)
                self._place = (-cursor.priority, cursor.sequence)
            else:
                self.begin_anew()

    def _concerns(self, slot: int) -> bool:
        handles = self._store.handles
        return (self._by_message is None or handles.message_hash[slot] == self._by_message) and (
            self._by_correlation is None or handles.correl_hash[slot] == self._by_correlation
        )

    def _note_group(self, slot: int) -> None:
        group = self._store.group_of(slot)
        if group is not None:
            self._groups.add(group)
            self._torn.pop(group, None)

    def _note_groups(self) -> None:
        """What came or went may have made others of its group available."""
        changed, self._groups = self._groups, set()
        for group in changed:
            for slot in self._store.groups.get(group, ()):
                self.left -= 1
                place = self._queue.delivery_order(slot)
                if self._start < place <= self._place and self._concerns(slot):
                    self._look_again_at((*place, slot))
