"""The soak itself: a short one, and that its checker finds what is lost, doubled, torn or out of order.

The checker is shown a real queue manager whose messages were taken, copied or moved behind the back of the ledger, or
a ledger that says what did not happen.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak import history
from soak.__main__ import main, summary
from soak.checker import Base, Check, Stop, count
from soak.ledger import Ledger
from soak.life import Figures, Life, read_observation
from soak.messages import content, number_of
from soak.queues import FIFO, GROUPS, ORDER
from soak.thread import Thread, Unit, Work
from soak.worker import NAME, define_queues, observe

from libremq import QueueManager, connect

A, B = "SOAK.A", "SOAK.B"


class Books:
    """A queue manager in this process, a thread that keeps its ledger, and the check of the two."""

    def __init__(self, folder: Path, qm: QueueManager) -> None:
        self.qm = qm
        self.base = Base()
        self._folder = folder
        self._run = 0
        self.next_run()

    def next_run(self) -> None:
        self._run += 1
        run = self._folder / f"ledger{self._run}"
        run.mkdir()
        self.run = run
        self.thread = Thread(Work(self.qm, run, self._run, seed=1, message_bytes_max=1000), 0)
        self.thread.open_queues()
        self.lines = Ledger(run / "by hand")

    def check(self, stop: Stop = Stop.KILLED) -> Check:
        observe(self.qm, self._folder / "seen.json")
        seen, _ = read_observation(self._folder / "seen.json")
        return Check(self.base, history.read(self.run, self.base.branches), seen, stop)

    def findings(self, stop: Stop = Stop.KILLED) -> dict[str, int]:
        return dict(count(self.check(stop).findings))

    def put(self, queue: str, how_many: int, unit: Unit | None = None, **options: object) -> list[str]:
        found = [self.thread.put(queue, unit, **options) for _ in range(how_many)]  # type: ignore[arg-type]
        assert None not in found
        return [number for number in found if number is not None]

    def steal(self, queue: str, number: str) -> bytes:
        """Take a message without a line in the ledger."""
        return self.qm.queue(queue).get(message_id=number).data

    def smuggle(self, queue: str, number: str, data: bytes | None = None, priority: int = 4) -> None:
        """Put a message without a line in the ledger."""
        given = content(number, 10) if data is None else data
        self.qm.put(queue, given, message_id=number, priority=priority, persistent=True)


@pytest.fixture
def books(queue_manager: QueueManager, tmp_path: Path) -> Books:
    define_queues(queue_manager)
    return Books(tmp_path, queue_manager)


# A short soak


def test_a_short_soak(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["--kills", "6", "--seed", "11", "--config", "circular", "--longest", "0.5", "--folder", str(tmp_path)])
    said = capsys.readouterr().out
    assert code == 0, said
    assert "0 lost, 0 doubled, 0 out of order" in said
    assert list(tmp_path.iterdir()) == []


def test_a_loss_in_a_soak_is_found_and_the_evidence_kept(tmp_path: Path) -> None:
    life = Life(tmp_path, "circular", 5, Figures(), longest_s=0.2)
    life.check_once()
    with connect(f"embedded:{NAME}?data={tmp_path / 'data'}") as qm:
        qm.put(A, content("1.90.1", 5), message_id="1.90.1", persistent=True)
    ledger = Ledger(tmp_path / "ledger" / "1" / "more")
    for number in ("1.90.1", "1.90.2"):
        ledger.write("put", number, A, 0, True, 0, "")
        ledger.write("ok", number)
    life.check_once()
    assert count(life.findings) == {"lost": 1}
    assert "lost: SOAK.A: 1.90.2 " in (tmp_path / "findings.txt").read_text()
    assert (tmp_path / "before").is_dir()
    assert summary(life.figures, life.findings).endswith("1 lost, 0 doubled, 0 out of order")


# The checker: nothing wrong


def test_what_was_done_is_what_is_there(books: Books) -> None:
    thread = books.thread
    numbers = books.put(A, 5, priority=9) + books.put(FIFO.name, 4)
    with thread.unit() as unit:
        books.put(A, 3, unit)
        books.put(B, 1, unit)
        assert thread.get(A, unit) == numbers[0]
    with thread.unit() as unit:
        books.put(A, 2, unit)
        thread.get(A, unit)
        thread.back_out(unit)
    with thread.unit() as unit:
        thread.put_group(GROUPS.name, unit, 4)
    with thread.branch() as branch:
        books.put(A, 1, branch)
        thread.get(A, branch)
    assert thread.take(A, 2, None) == numbers[3]
    check = books.check()
    assert check.findings == []
    assert list(check.base.branches) == [branch.name]
    books.base = check.base
    books.next_run()
    books.thread.decide(branch.name, commits=False)
    assert books.findings() == {}


def test_a_base_that_was_checked_stays_true(books: Books) -> None:
    numbers = books.put(A, 6)
    books.base = books.check().base
    books.next_run()
    assert books.thread.get(A) == numbers[0]
    assert books.findings() == {}
    books.steal(A, numbers[3])
    assert books.findings() == {"lost": 1}


# The checker: what is wrong


def test_a_message_that_is_gone_is_lost(books: Books) -> None:
    numbers = books.put(A, 5)
    books.steal(A, numbers[2])
    assert books.findings() == {"lost": 1}


def test_a_false_acknowledgement_is_a_loss(books: Books) -> None:
    books.put(A, 2)
    books.lines.write("put", "1.9.1", A, 4, True, 0, "")
    assert books.findings() == {}  # in doubt: it may have been put or not
    books.lines.write("ok", "1.9.1")
    assert books.findings() == {"lost": 1}


def test_a_copy_is_doubled(books: Books) -> None:
    numbers = books.put(A, 3)
    data = next(iter(books.qm.queue(A).browse())).data
    books.smuggle(A, numbers[0], data)
    assert books.findings()["doubled"] == 1


def test_a_copy_on_another_queue_is_doubled(books: Books) -> None:
    numbers = books.put(A, 3)
    books.smuggle(B, numbers[0], next(iter(books.qm.queue(A).browse())).data)
    assert books.findings()["doubled"] == 1


def test_what_was_got_and_is_there_again_is_doubled(books: Books) -> None:
    books.put(A, 3)
    got = books.thread.get(A)
    assert got is not None
    books.smuggle(A, got)
    assert books.findings()["doubled"] == 1


def test_what_was_got_twice_is_doubled(books: Books) -> None:
    number = books.put(A, 1)[0]
    books.thread.get(A)
    books.smuggle(A, number)
    books.thread.get(A)
    assert books.findings() == {"doubled": 1}


def test_what_was_got_in_an_earlier_run_is_doubled(books: Books) -> None:
    number = books.put(A, 1)[0]
    books.thread.get(A)
    books.base = books.check().base
    books.next_run()
    books.smuggle(A, number)
    assert books.findings() == {"doubled": 1}
    books.thread.get(A)
    assert books.findings() == {"doubled": 1}


@pytest.mark.parametrize("queue", [A, FIFO.name])
def test_a_message_that_moved_to_the_end_is_out_of_order(books: Books, queue: str) -> None:
    numbers = books.put(queue, 4)
    books.smuggle(queue, numbers[0], books.steal(queue, numbers[0]))
    assert books.findings()["out of order"] >= 1


def test_a_place_taken_once_is_kept(books: Books) -> None:
    """Two puts that overlap may come in either order, but only the first time."""
    for number in ("1.7.1", "1.8.1"):
        books.lines.write("put", number, A, 4, True, 0, "")
    for number in ("1.7.1", "1.8.1"):
        books.lines.write("ok", number)
    books.smuggle(A, "1.8.1")
    books.smuggle(A, "1.7.1")
    check = books.check()
    assert check.findings == []
    books.base = check.base
    books.next_run()
    books.smuggle(A, "1.8.1", books.steal(A, "1.8.1"))
    assert books.findings() == {"out of order": 1}


def test_a_consumer_that_is_served_out_of_order(books: Books) -> None:
    numbers = books.put(ORDER.name, 3)
    assert books.thread.get(ORDER.name, number=numbers[2]) == numbers[2]
    assert books.thread.get(ORDER.name) == numbers[0]
    assert books.findings() == {"out of order": 2}  # the first came too late, the second is still there


def test_half_of_a_unit_of_work_in_doubt_is_torn(books: Books) -> None:
    old = books.put(A, 3)
    with books.thread.unit() as unit:
        numbers = books.put(A, 2, unit)
        assert books.thread.get(A, unit) == old[0]
    path = books.run / "0"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))  # the answer to the commit is not in the ledger
    assert books.findings() == {}
    books.steal(A, numbers[1])
    assert books.findings() == {"torn": 1}
    path.write_bytes(b"".join(lines))
    assert books.findings() == {"lost": 1}  # acknowledged, so it is no longer a question of all or nothing


def test_an_undone_put_that_is_there_is_revived(books: Books) -> None:
    with books.thread.unit() as unit:
        numbers = books.put(A, 2, unit)
        books.thread.back_out(unit)
    books.smuggle(A, numbers[0])
    assert books.findings() == {"revived": 1}


def test_nonpersistent_messages_go_with_a_kill_and_stay_over_an_orderly_end(books: Books) -> None:
    number = books.put(B, 1, persistent=False)[0]
    assert books.findings(Stop.KILLED) == {"revived": 1}
    assert books.findings(Stop.ENDED) == {}
    books.steal(B, number)
    assert books.findings(Stop.KILLED) == {}
    assert books.findings(Stop.ENDED_THEN_KILLED) == {}
    assert books.findings(Stop.ENDED) == {"lost": 1}


def test_a_wrong_byte_is_damage(books: Books) -> None:
    number = books.put(A, 2, size=100)[1]
    data = bytearray(books.steal(A, number))
    data[50] ^= 1
    assert number_of(bytes(data)) is None
    books.smuggle(A, number, bytes(data))
    assert books.findings() == {"damaged": 1, "lost": 1}


def test_another_priority_is_damage(books: Books) -> None:
    number = books.put(A, 1, priority=4)[0]
    books.smuggle(A, number, books.steal(A, number), priority=5)
    assert books.findings() == {"damaged": 1}


def test_a_prepared_branch_that_is_gone_is_lost(books: Books) -> None:
    with books.thread.branch() as branch:
        books.put(A, 1, branch)
    assert books.findings() == {}
    books.qm.resolve(branch.name.encode(), commit=False)
    assert books.findings() == {"lost": 1}


def test_a_branch_that_nobody_prepared_is_revived(books: Books) -> None:
    with books.qm.xa.branch(b"stranger"):
        books.qm.put(A, "x", persistent=True)
    books.qm.xa.prepare(b"stranger")
    assert books.findings() == {"revived": 1}


def test_an_alarm_of_the_worker_is_a_finding(books: Books) -> None:
    books.lines.write("alarm", "something happened")
    assert books.findings() == {"stopped": 1}


# Gets that were never answered


def test_an_unanswered_get_explains_one_message_at_the_front(books: Books) -> None:
    numbers = books.put(A, 4)
    books.lines.write("get", A, "", "")
    assert books.findings() == {}
    books.steal(A, numbers[0])
    assert books.findings() == {}
    books.steal(A, numbers[1])
    assert books.findings() == {"lost": 1}


def test_an_unanswered_get_does_not_explain_a_message_further_back(books: Books) -> None:
    numbers = books.put(A, 4)
    books.lines.write("get", A, "", "")
    books.steal(A, numbers[2])
    assert books.findings() == {"lost": 1}


def test_an_unanswered_get_of_one_message_explains_that_one_only(books: Books) -> None:
    numbers = books.put(A, 4)
    books.lines.write("get", A, "", numbers[2])
    books.steal(A, numbers[2])
    assert books.findings() == {}
    books.steal(A, numbers[0])
    assert books.findings() == {"lost": 1}


def test_a_line_that_the_kill_cut_counts_as_not_written(books: Books) -> None:
    number = books.put(A, 1)[0]
    path = books.run / "0"
    path.write_bytes(path.read_bytes()[:-3])
    assert books.findings() == {}
    books.steal(A, number)
    assert books.findings() == {}


def test_a_message_that_comes_back_from_a_branch_may_have_new_ones_around_it(books: Books) -> None:
    """Its place in the list before the branch took it says nothing about the list after."""
    numbers = books.put(A, 4)
    books.base = books.check().base
    books.next_run()
    with books.thread.branch() as branch:
        assert books.thread.get(A, branch, number=numbers[3]) == numbers[3]
    for _ in numbers[:3]:
        books.thread.get(A)
    books.put(A, 1)
    books.base = books.check().base
    books.next_run()
    books.thread.decide(branch.name, commits=False)
    assert books.findings() == {}
