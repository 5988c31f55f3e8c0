"""Backouts for which the log has no room, since its next extent finds a full disk: they go on when there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from libremq.host import lifecycle
from libremq.kernel.state.waiting_gets import Got
from libremq.log import LogConfig, LogFull
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing import FaultyFiles, VirtualClock

LINEAR = LogConfig(primary_files=3, secondary_files=2, file_pages=64, type="LINEAR")
XID = b"branch"
MANY = 300
"""So many that their backout does not fit into what is left of the last extent."""


class Site:
    def __init__(self) -> None:
        self.files, self.clock = FaultyFiles(), VirtualClock()
        lifecycle.create(self.files, "qm", "QM1", self.clock, LINEAR)
        self.start()
        for name in ("A", "B"):
            self.qm.define("QLOCAL", name, {})

    def start(self) -> None:
        self.qm = lifecycle.start(self.files, "qm", "QM1", self.clock)
        self.hconn = self.qm.connect("alice", "teller")

    def put(self, queue: str, data: bytes, options: int = C.MQPMO_NO_SYNCPOINT, hconn: int = 0) -> None:
        md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
        self.qm.put1(hconn or self.hconn, MQOD(ObjectName=queue), md, MQPMO(Options=options), data)
        self.qm.core.log.force()

    def get(self, queue: str, options: int = C.MQGMO_NO_SYNCPOINT, hconn: int = 0) -> bytes:
        hconn = hconn or self.hconn
        hobj = self.qm.open(hconn, MQOD(ObjectName=queue), C.MQOO_INPUT_SHARED)
        got = self.qm.get(hconn, hobj, MQMD(Version=2), MQGMO(Options=options))
        assert isinstance(got, Got)
        self.qm.close(hconn, hobj)
        self.qm.core.log.force()
        return got.data

    def fill_log(self) -> None:
        """Messages come and go until the log is full, and its disk."""
        self.files.set_free_space(0)
        for size in (9_000, 300, 1):
            while self._refused(size) != C.MQRC_RESOURCE_PROBLEM:
                pass

    def _refused(self, size: int) -> int:
        try:
            self.put("B", bytes(size))
            self.get("B")
        except MQError as error:
            return error.reason
        return 0

    def make_room(self) -> None:
        self.files.set_free_space(None)
        self.clock.advance(2)
        self.qm.tick()


def refused(reason: int) -> Any:
    return pytest.raises(MQError, match=f"\\({reason}\\)")


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    if site.qm.failure is None and not site.qm.ended:
        site.files.set_free_space(None)
        site.qm.end()


def holding(site: Site, *, branch: bool = False) -> int:
    """Somebody who has got what is on A, and does not say what becomes of it."""
    owner = site.qm.connect("bob", "slow")
    if branch:
        site.qm.xa_start(owner, XID)
    for number in range(MANY):
        site.put("A", b"precious %d" % number)
    for number in range(MANY):
        assert site.get("A", C.MQGMO_SYNCPOINT, owner) == b"precious %d" % number
    return owner


def back_again(site: Site) -> None:
    assert [site.get("A") for _ in range(MANY)] == [b"precious %d" % number for number in range(MANY)]
    assert not site.qm.core.unfinished and not site.qm.core.units


@pytest.mark.parametrize("call", ["MQCMIT", "MQDISC", "MQBACK", "MQPUT", "none"])
def test_a_unit_of_work_that_had_to_give_way_comes_back_when_there_is_room(site: Site, call: str) -> None:
    owner = holding(site)
    site.fill_log()
    assert site.qm.core.units, "there was no room for its backout either"
    site.make_room()
    if call == "MQBACK":
        site.qm.backout(owner)
    elif call != "none":
        with refused(C.MQRC_BACKED_OUT):
            {
                "MQCMIT": lambda: site.qm.commit(owner),
                "MQDISC": lambda: site.qm.disconnect(owner),
                "MQPUT": lambda: site.put("B", b"", C.MQPMO_SYNCPOINT, owner),
            }[call]()
    back_again(site)


@pytest.mark.parametrize("call", ["MQCMIT", "MQDISC", "MQBACK"])
def test_what_is_backed_out_in_part_is_never_committed(site: Site, call: str) -> None:
    """The owner asks while there is no room: it hears 2102, or that it is backed out, and nothing else."""
    owner = holding(site)
    site.fill_log()
    calls: dict[str, Any] = {"MQCMIT": site.qm.commit, "MQDISC": site.qm.disconnect, "MQBACK": site.qm.backout}
    for _ in range(3):
        with pytest.raises(MQError) as caught:
            calls[call](owner)
        assert caught.value.reason in (C.MQRC_RESOURCE_PROBLEM, C.MQRC_BACKED_OUT)
    site.make_room()
    back_again(site)


def test_a_branch_that_had_to_give_way(site: Site) -> None:
    owner = holding(site, branch=True)
    site.fill_log()
    with refused(C.MQRC_BACKED_OUT):
        site.qm.xa_end(owner, XID)
    with pytest.raises(MQError):
        site.qm.xa_prepare(owner, XID)
    with pytest.raises(MQError):
        site.qm.xa_commit(owner, XID, one_phase=True)
    site.make_room()
    back_again(site)
    site.qm.disconnect(owner)


def test_a_unit_of_work_with_half_a_verb_in_it_is_never_committed(site: Site) -> None:
    """A verb of several operations fails, and they cannot all be taken back."""
    holding(site)  # the oldest, which has to give way first
    other = site.qm.connect("carol", "other")
    site.put("A", b"late", C.MQPMO_SYNCPOINT, other)
    core = site.qm.core
    unit = core.connections[other].unit
    with pytest.raises(LogFull), core.all_or_nothing(unit):
        for _ in range(MANY):
            site.put("A", b"half", C.MQPMO_SYNCPOINT, other)
        site.fill_log()
        raise ValueError("this verb has failed")
    with pytest.raises(MQError) as caught:
        site.qm.commit(other)
    assert caught.value.reason in (C.MQRC_RESOURCE_PROBLEM, C.MQRC_BACKED_OUT)
    site.make_room()
    back_again(site)
    with refused(C.MQRC_NO_MSG_AVAILABLE):
        site.get("A")


def test_an_end_without_room_for_backouts_is_an_end(site: Site) -> None:
    holding(site)
    site.fill_log()
    site.qm.end()
    assert site.qm.failure is None and "AMQ7487" in site.qm.end_note
    site.files.set_free_space(None)
    site.start()
    back_again(site)


def test_a_crash_in_such_a_backout(site: Site) -> None:
    holding(site)
    site.fill_log()
    site.qm.abandon()
    site.files.set_free_space(None)
    site.start()
    back_again(site)
