"""The simulation of message channels itself: that it repeats, that faults happen where they should, that it sees."""

from __future__ import annotations

import pytest

from libremq.mqi import constants as C
from libremq.mqi.structs import MQGMO, MQMD, MQOD, MQPMO
from libremq.testing.channel_ledger import Application, check
from libremq.testing.channel_simulation import ChannelSimulation, Crash, Cut, SimulationFailure
from libremq.testing.channel_topologies import IN, line, ring
from libremq.testing.simulated_queue_manager import made_on_disk

CHANNEL = "QM1.TO.QM2"


def simulated(*units: tuple[bool, ...], **settings: object) -> tuple[ChannelSimulation, Application]:
    """Two queue managers, a channel that was started, and an application that puts these units of work."""
    simulation = ChannelSimulation(line(2, attributes="BATCHSZ(3)"), **settings)  # type: ignore[arg-type]
    application = Application(simulation, "QM1", IN, "QM2")
    simulation.start_channel("QM1", CHANNEL)
    for unit in units:
        application.put(*unit)
    return simulation, application


def put_by_hand(simulation: ChannelSimulation, words: str) -> None:
    manager = simulation["QM2"].manager
    hconn = manager.connect("somebody", "hand")
    md = MQMD(Version=2, Persistence=C.MQPER_PERSISTENT)
    manager.put1(hconn, MQOD(ObjectName=IN), md, MQPMO(Options=C.MQPMO_NO_SYNCPOINT), words.encode())
    manager.disconnect(hconn)


def depth(simulation: ChannelSimulation) -> int:
    return len(simulation["QM2"].manager.core.queues[IN].store.chains)


def get_by_hand(simulation: ChannelSimulation) -> None:
    manager = simulation["QM2"].manager
    hconn = manager.connect("somebody", "hand")
    hobj = manager.open(hconn, MQOD(ObjectName=IN), C.MQOO_INPUT_SHARED)
    manager.get(hconn, hobj, MQMD(Version=2), MQGMO(Options=C.MQGMO_NO_SYNCPOINT))
    manager.disconnect(hconn)


# The run


def test_messages_arrive() -> None:
    simulation, application = simulated((True, True, False), (True,))
    simulation.settle()
    assert [unit.committed for unit in application.units] == [True, True]
    assert [unit.numbers for unit in application.units] == [(1, 2, 3), (4,)]
    check(simulation)


@pytest.mark.parametrize("shuffled", [False, True])
def test_the_same_seed_makes_the_same_run(shuffled: bool) -> None:
    def story(seed: int) -> str:
        simulation, _ = simulated((True, True), (True,), (False,), seed=seed, shuffled=shuffled)
        simulation.network.link("QM1", "QM2").jitter_s = 0.01
        simulation.arm(Cut(6), Crash("QM2", 2, "something"))
        simulation.settle()
        check(simulation)
        return simulation.events.story(1000)

    assert story(1) == story(1)
    assert story(1) != story(2)


def test_distance_takes_time() -> None:
    simulation, _ = simulated((True,))
    simulation.network.link("QM1", "QM2").latency_s = 0.5
    # The call is under way already; there and back three times: initial data, resynchronisation, the batch
    assert simulation.settle() == pytest.approx(3.0)


def test_a_narrow_line_takes_time() -> None:
    simulation, application = simulated()
    simulation.network.link("QM1", "QM2").bytes_per_s = 1000
    simulation.settle()
    began = simulation.events.elapsed_s
    application.size = 10_000
    application.put(True)
    simulation.settle()
    assert 10 < simulation.events.elapsed_s - began < 13


def test_a_slow_disk_takes_time() -> None:
    simulation, _ = simulated((True,), force_s=2.0)
    # The put; what the ends say of the last batch waits for what they have written before; prepare; commit
    assert simulation.settle() >= 6.0
    check(simulation)


def test_more_than_the_line_takes_waits() -> None:
    simulation, application = simulated()
    link = simulation.network.link("QM1", "QM2")
    link.window_bytes, link.latency_s = 100, 0.01
    application.put(*[True] * 20)
    simulation.settle()
    check(simulation)


def test_all_are_within_reach() -> None:
    simulation = ChannelSimulation(ring(4, trigger=True))
    for one in simulation.queue_managers:
        for other in simulation.queue_managers:
            if one != other:
                Application(simulation, one, IN, other).put(True)
    simulation.settle()
    check(simulation)


# Faults


def test_a_cut_loses_what_is_on_its_way_and_the_channel_comes_again() -> None:
    simulation, _ = simulated((True,))
    simulation.arm(Cut(1))
    simulation.settle()
    check(simulation)
    assert simulation.cuts == 1
    assert "is cut" in simulation.events.story()
    assert simulation.events.elapsed_s == pytest.approx(10)  # SHORTTMR


def test_an_end_that_hears_late_is_taken_over_from() -> None:
    simulation, _ = simulated((True,))
    simulation.arm(Cut(6, called_hears_s=100.0))
    simulation.settle()
    check(simulation)
    assert "AMQ9569" in simulation.events.story()


@pytest.mark.parametrize("at_segment", [False, True])
def test_a_crash_is_followed_by_a_restart(at_segment: bool) -> None:
    simulation, _ = simulated((True,))
    simulation.arm(Crash("QM2", 2, restart_s=30.0, at_segment=at_segment))
    simulation.settle()
    check(simulation)
    assert (simulation["QM2"].lives, simulation["QM2"].crashes, simulation.restarts) == (2, 1, 1)
    assert simulation.events.elapsed_s >= 30


def test_faults_come_one_after_the_other() -> None:
    simulation, _ = simulated((True,))
    seen: list[float] = []
    simulation.on_fault = lambda: seen.append(simulation.events.elapsed_s)
    simulation.arm(Cut(3), Crash("QM2", 1), Crash("QM2", 5))
    simulation.settle()
    check(simulation)
    assert len(seen) == 3 and seen == sorted(seen)
    assert simulation["QM2"].lives == 3


def test_nobody_answers() -> None:
    simulation, _ = simulated()
    simulation.network.link("QM1", "QM2").refuses = True
    simulation.run(35.0)
    assert simulation["QM1"].instances(CHANNEL)[0].status == C.MQCHS_RETRYING
    simulation.network.link("QM1", "QM2").refuses = False
    simulation.run(10.0)
    assert simulation["QM1"].instances(CHANNEL)[0].status == C.MQCHS_RUNNING


@pytest.mark.parametrize(("survivors", "left"), [("nothing", 1), ("everything", 3)])
def test_a_commit_without_an_answer_may_have_happened_or_not(survivors: str, left: int) -> None:
    simulation, application = simulated()
    simulation.settle()
    simulation.arm(Crash("QM1", 1, survivors))  # type: ignore[arg-type]
    application.put(True, True)
    application.put(True)
    simulation.settle()
    assert [unit.committed for unit in application.units] == [False, True]
    assert depth(simulation) == left
    check(simulation)


# What it must not overlook


def settled(*units: tuple[bool, ...]) -> ChannelSimulation:
    simulation, _ = simulated(*units)
    simulation.settle()
    return simulation


def test_a_message_that_is_missing_is_seen() -> None:
    simulation = settled((True,), (True,))
    get_by_hand(simulation)
    with pytest.raises(SimulationFailure, match=r"\[1\] of the unit of work \(1,\) did not arrive") as raised:
        check(simulation)
    assert "START CHANNEL" in str(raised.value)  # the story


def test_a_message_that_came_twice_is_seen() -> None:
    simulation = settled((True,))
    put_by_hand(simulation, "QM1.1 1 ")
    with pytest.raises(SimulationFailure, match=r"\[1\] arrived more than once"):
        check(simulation)


def test_messages_out_of_order_are_seen() -> None:
    simulation = settled((True,), (True,))
    get_by_hand(simulation)
    put_by_hand(simulation, "QM1.1 1 ")
    with pytest.raises(SimulationFailure, match="out of order"):
        check(simulation)


def test_a_message_that_nobody_put_is_seen() -> None:
    simulation = settled((True,))
    put_by_hand(simulation, "QM1.1 7 ")
    with pytest.raises(SimulationFailure, match=r"\[7\] were never put"):
        check(simulation)


def test_ends_that_differ_are_seen() -> None:
    simulation = settled((True,))
    core = simulation["QM2"].manager.core
    next(iter(core.catalogue.channel_syncs.values())).sequence = 5
    with pytest.raises(SimulationFailure, match=r"channel QM1\.TO\.QM2 from QM1 to QM2"):
        check(simulation)


def test_a_channel_that_does_not_come_again_is_seen() -> None:
    simulation, _ = simulated((True,))
    simulation.arm(Crash("QM2", 1))
    simulation["QM2"].restart_s = None
    with pytest.raises(SimulationFailure, match="QM1 has"):
        simulation.settle(limit_s=600.0)


def test_commands_that_fail_are_told() -> None:
    with pytest.raises(ValueError, match="QM9: DEFINE QLOCAL"):
        made_on_disk("QM9", "DEFINE QLOCAL(A) USAGE(NONSENSE)")
