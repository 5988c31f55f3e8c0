"""Runs of puts and gets do what the same do one by one: log, handles, chains and statistics are the same."""

from __future__ import annotations

import random
from typing import Any

import pytest
from helper_qmgr import Session

from libremq.kernel.state.waiting_gets import Got
from libremq.kernel.verbs.put_forms import PutForm
from libremq.log import LogConfig
from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQPMO

_UNIT, _ALONE = C.MQPMO_SYNCPOINT, C.MQPMO_NO_SYNCPOINT


class Side:
    """One of the two: `runs` or one by one."""

    def __init__(self, *, runs: bool, log_config: LogConfig | None = None, **attributes: Any) -> None:
        self.session = Session(log_config)
        self.session.queue("Q", **{"MAXDEPTH": 1000, **attributes})
        self.runs = runs
        self.hobj = self.session.open("Q", C.MQOO_OUTPUT | C.MQOO_INPUT_SHARED | C.MQOO_BROWSE)
        self.queue = self.session.core.queues["Q"]
        self.forms = {
            (options, persistence, priority): self._form(options, persistence, priority)
            for options in (_UNIT, _ALONE, _ALONE | C.MQPMO_NEW_CORREL_ID)
            for persistence in (0, 1)
            for priority in (2, 5)
        }
        self.session.qm.commit(self.session.hconn)
        while self.take(10, _ALONE):
            pass

    def _form(self, options: int, persistence: int, priority: int) -> PutForm:
        session = self.session
        md = MQMD(Version=2, Persistence=persistence, Priority=priority)
        pmo = MQPMO(Version=3, Options=options)
        session.qm.put(session.hconn, self.hobj, md, pmo, b"")
        form = session.qm.form_of(session.hconn, self.hobj, md, pmo)
        assert form is not None
        return form

    def put(self, kind: tuple[int, int, int], ids: list[bytes], data: list[bytes]) -> list[bytes]:
        """The ids of what was put."""
        form = self.forms[kind]
        qm = self.session.qm
        done: list[bytes] = []

        def calls() -> tuple[None, int]:
            run = form.put_run(ids, data) if self.runs else None
            if run is not None:
                done.extend(run.ids)
                return None, run.lsn
            for both, content in zip(ids, data, strict=True):
                filled = form.put(both, content)
                if filled is None:
                    break
                done.append(filled.ids)
            return None, 0

        qm.run(form.connection, calls)
        return done

    def take(self, most: int, options: int) -> list[tuple[bytes, bytes, bytes]]:
        qm, hconn = self.session.qm, self.session.hconn
        if self.runs:
            found = qm.get_plain(hconn, self.hobj, options, most=most)
        else:
            found = []
            while len(found) < most and (one := qm.get_plain(hconn, self.hobj, options)):
                found += one
        return [(one.body, one.token, one.message.data) for one in found]

    def state(self) -> dict[str, Any]:
        core, store = self.session.core, self.queue.store
        core.log.force()
        handles, statistics = store.handles, self.queue.statistics
        used = [slot for slot, flags in enumerate(handles.flags) if flags]
        columns = ("next", "prev", "sequence", "message_hash", "correl_hash", "expiry_ms", "flags", "unit")
        linked = list(store.chains)
        return {
            "log": list(core.log.scan(core.log.head)),
            "rows": [[getattr(handles, name)[slot] for name in columns[2:]] for slot in used],
            "links": [(handles.prev[slot], handles.next[slot]) for slot in linked],
            "free": handles.free_slots.tolist(),
            "linked": linked,
            "images": [store.message(slot).to_image() for slot in used],
            "positions": [store.message(slot).lsn for slot in used],
            "counts": (store.depth, store.pending_puts, store.next_sequence, store.change_count, store._used),
            "buffers": (store._buffer_bytes, [list(buffer) for buffer in store._buffers], store._message_blocks),
            "statistics": (statistics.enqueued, statistics.dequeued, statistics.high_depth, statistics.last_put),
            "units": [(unit.operations, unit.first_lsn, unit.last_lsn, unit.message_count, unit.undo_bytes)
                      for unit in core.units.values()],
            "kept": (core.undo_bytes, core.logged_operations, core.puts_outside_syncpoint, self.queue.visible_lsn),
        }  # fmt: skip


def _flat(state: dict[str, Any]) -> dict[str, Any]:
    """Without the queues themselves, which are two."""
    units = [([(one.kind, one.slot, one.lsn) for one in operations], *rest) for operations, *rest in state["units"]]
    return {**state, "units": units}


@pytest.mark.parametrize("seed", range(12))
def test_a_run_is_what_its_members_are_one_by_one(seed: int) -> None:
    rng = random.Random(seed)
    attributes: dict[str, Any] = {"MSGDLVSQ": "FIFO"} if seed % 3 == 0 else {}
    sides = [Side(runs=runs, **attributes) for runs in (True, False)]
    if seed % 2:
        for side in sides:
            side.queue.store._buffer_limits = (1 << 30, 1 << 30)
    for step in range(40):
        what = rng.random()
        if what < 0.45:
            kind = rng.choice(list(sides[0].forms))
            count = rng.randrange(1, 30)
            ids = [rng.choice((bytes(48), rng.randbytes(48), rng.randbytes(24) + bytes(24))) for _ in range(count)]
            size = rng.randrange(3000)
            data = [rng.randbytes(size if rng.random() < 0.8 else rng.randrange(5000)) for _ in range(count)]
            done = [side.put(kind, ids, data) for side in sides]
            assert done[0] == done[1]
        elif what < 0.75:
            most, options = rng.randrange(2, 40), rng.choice((C.MQGMO_SYNCPOINT, C.MQGMO_NO_SYNCPOINT))
            # One call may end where the messages are of another kind
            taken = sides[0].take(most, options)
            assert sides[1].take(len(taken), options) == taken
        elif what < 0.9:
            for side in sides:
                side.session.qm.commit(side.session.hconn)
        elif what < 0.96:
            for side in sides:
                side.session.qm.backout(side.session.hconn)
        else:
            for side in sides:
                side.session.qm.checkpoint()
        for side in sides:
            side.session.clock.advance(0.25)
        states = [_flat(side.state()) for side in sides]
        for state in states:
            if not seed % 2:
                # A run makes room for all of it at once: where its messages lie is not the same
                del state["buffers"], state["positions"]
        assert states[0] == states[1], step
    assert sides[0].queue.statistics.dequeued > 50


@pytest.mark.parametrize("persistence", [0, 1])
@pytest.mark.parametrize("options", [_UNIT, _ALONE])
def test_a_run_that_is_too_long_for_the_queue_fills_it(options: int, persistence: int) -> None:
    sides = [Side(runs=runs, MAXDEPTH=12) for runs in (True, False)]
    for _ in range(2):
        done = [side.put((options, persistence, 2), [bytes(48)] * 8, [b"data"] * 8) for side in sides]
        assert done[0] == done[1]
    assert sides[0].queue.store.depth == 12
    assert _flat(sides[0].state()) == _flat(sides[1].state())


def test_a_run_that_the_log_has_no_room_for_goes_as_far_as_there_is_some() -> None:
    config = LogConfig(file_pages=64, primary_files=2, secondary_files=1)
    sides = [Side(runs=runs, log_config=config) for runs in (True, False)]
    data = [bytes(9000)] * 7
    counts = []
    while True:
        done = [side.put((_UNIT, 1, 2), [bytes([7]) * 48] * 7, data) for side in sides]
        assert done[0] == done[1]
        counts.append(len(done[0]))
        if len(done[0]) < 7:
            break
    assert len(counts) > 1
    states = [_flat(side.state()) for side in sides]
    for state in states:
        del state["free"]  # those that found no room in the end have had a row
    assert states[0] == states[1]
    for side in sides:
        side.session.qm.backout(side.session.hconn)
    assert list(sides[0].session.core.log.scan(40)) == list(sides[1].session.core.log.scan(40))


def test_gets_that_the_log_has_no_room_for_stay() -> None:
    side = Side(runs=True)
    core = side.session.core
    for _ in range(4):
        side.put((_ALONE, 1, 2), [bytes([7]) * 48] * 20, [b"x"] * 20)
    core.log.force()
    space, kept = core.log.space(), core.checkpoint_bytes
    core.checkpoint_bytes = space.capacity_bytes - space.used_bytes - 16_000
    taken = side.take(80, C.MQGMO_SYNCPOINT)
    assert 10 < len(taken) < 80 and side.queue.store.chains.count == 80 - len(taken)
    core.checkpoint_bytes = kept
    assert len(side.take(80, C.MQGMO_SYNCPOINT)) == 80 - len(taken)
    side.session.qm.backout(side.session.hconn)
    assert [token for _, token, _ in side.take(80, C.MQGMO_NO_SYNCPOINT)][: len(taken)] == [one[1] for one in taken]


@pytest.mark.parametrize(
    "change",
    [
        lambda side: side.session.qm.alter("QMGR", "", {"PERFMEV": "ENABLED"}),
        lambda side: side.session.qm.alter("QLOCAL", "Q", {"MONQ": "HIGH"}),
        lambda side: side.session.qm.alter("QLOCAL", "Q", {"MAXFSIZE": 20}),
        lambda side: side.session.qm.alter("QLOCAL", "Q", {"PUT": "DISABLED"}),
        lambda side: side.session.qm.alter("QLOCAL", "Q", {"MAXMSGL": 3}),
    ],
    ids=["events", "monitoring", "file size", "put inhibited", "shorter messages"],
)
def test_what_concerns_each_message_is_asked_of_each(change: Any) -> None:
    sides = [Side(runs=runs) for runs in (True, False)]
    for side in sides:
        change(side)
    outcome = [side.put((_ALONE, 1, 2), [bytes(48)] * 5, [b"data"] * 5) for side in sides]
    assert outcome[0] == outcome[1]
    assert _flat(sides[0].state()) == _flat(sides[1].state())


def test_messages_of_before_a_restart_are_taken_as_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    side = Side(runs=True)
    side.put((_ALONE, 1, 2), [bytes([1]) * 48] * 5, [b"data"] * 5)
    session = side.session
    session.kill_and_start()
    session.queue("OTHER")
    hobj = session.open("Q", C.MQOO_INPUT_SHARED)
    appended = session.core.log.append_run
    runs: list[int] = []

    def note(type: int, txn: int, prev_lsn: int, payloads: list[tuple[bytes, ...]], **keys: Any) -> list[int]:
        runs.append(len(payloads))
        return appended(type, txn, prev_lsn, payloads, **keys)

    with monkeypatch.context() as planted:
        planted.setattr(type(session.core.log), "append_run", lambda self, *arguments, **keys: note(*arguments, **keys))
        assert len(session.qm.get_plain(session.hconn, hobj, C.MQGMO_SYNCPOINT, most=9)) == 5
    assert runs == [5]


def test_a_cursor_on_a_message_of_a_run_is_told() -> None:
    sides = [Side(runs=runs) for runs in (True, False)]
    left = []
    for side in sides:
        side.put((_ALONE, 1, 2), [bytes([1]) * 48] * 5, [b"0", b"1", b"2", b"3", b"4"])
        session = side.session
        browse = C.MQGMO_BROWSE_FIRST
        for _ in range(2):
            session.qm.get(session.hconn, side.hobj, MQMD(Version=2), MQGMO(Options=browse))
            browse = C.MQGMO_BROWSE_NEXT
        side.take(3, C.MQGMO_NO_SYNCPOINT)
        got = session.qm.get(session.hconn, side.hobj, MQMD(Version=2), MQGMO(Options=browse))
        assert isinstance(got, Got)
        left.append(got.data)
    assert left == [b"3", b"3"]
