"""The tables of the agents: each state is reached and left, both ends fit, and agents keep no state beside it."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from helper_ends import CHANNEL, Pair, sender_and_receiver
from helper_state_walks import AGENTS, Walker, all_rows, recorded

from libremq.channels.agent import Agent
from libremq.channels.agent_states import IS_CHECKING, IS_IN_DOUBT, IS_PAUSED, Event, State
from libremq.channels.receiver import ReceivingAgent
from libremq.channels.sender import SendingAgent
from libremq.kernel.objects.channel_sync_record import SENDER
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C

TYPES = ["SDR RCVR", "SVR RQSTR"]
_WALKS_MAX = 2000  # half of these are enough


def reached(agent: type[Agent], start: State) -> set[State]:
    found, left = {start}, [start]
    while left:
        for _, state in agent.table[left.pop()].values():
            if state not in found:
                found.add(state)
                left.append(state)
    return found


@pytest.mark.parametrize("agent", AGENTS)
def test_every_state_is_reached_and_has_an_end(agent: type[Agent]) -> None:
    assert reached(agent, State.CONNECTED) == set(agent.table)
    for state, rows in agent.table.items():
        assert State.ENDED in reached(agent, state)
        assert (Event.END in rows) == (state is not State.ENDED)
    assert agent.table[State.ENDED] == {}


@pytest.mark.parametrize("agent", AGENTS)
def test_nothing_goes_back(agent: type[Agent]) -> None:
    """A channel that runs is never binding again, one that stops never runs again."""
    for state, rows in agent.table.items():
        for event, (_, after) in rows.items():
            assert not after.is_binding or state.is_binding, (state, event)
            assert after.is_stopping or not state.is_stopping or after is State.ENDED, (state, event)


@pytest.mark.parametrize("agent", AGENTS)
def test_what_comes_at_any_time_is_taken_in_every_state(agent: type[Agent]) -> None:
    for state, rows in agent.table.items():
        wanted: set[Event] = set()
        if state is not State.ENDED:
            wanted |= {Event.STOP, Event.END}
        if state not in (State.CONNECTED, State.ENDED):
            wanted |= {Event.HEARTBEAT, Event.STATUS}
            wanted |= {Event.CLOSE} if state not in IS_PAUSED else set()  # it waits for its turn then
            wanted |= {Event.CLOSE_REQUEST} if agent is SendingAgent else set()
            wanted |= {Event.PING} if state not in (State.NEGOTIATING, State.SECURING) else set()
        assert wanted <= set(rows), (state, wanted - set(rows))


@pytest.mark.parametrize("agent", AGENTS)
def test_rows_lead_where_their_actions_do(agent: type[Agent]) -> None:
    ends = {"finish", "stop_at_once", "take_close", "close_at_once"}
    stays = {"take_heartbeat", "take_status", "answer_ping", "hold_back", "take_message", "pause_again", "ignore"}
    for state, rows in agent.table.items():
        for event, (action, after) in rows.items():
            assert (after is State.ENDED) == (action in ends), (state, event)
            assert after is state or action not in stays, (state, event)


def test_every_state_and_every_event_is_in_a_table() -> None:
    tables = [one.table for one in AGENTS]
    assert {state for table in tables for state in table} == set(State)
    assert {event for table in tables for rows in table.values() for event in rows} == set(Event)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_pause_keeps_the_order_of_what_comes(agent: type[Agent]) -> None:
    for state in IS_PAUSED & set(agent.table):
        about_messages = [agent.table[state][event] for event in (Event.MESSAGE, Event.STATUS, Event.HEARTBEAT)]
        assert about_messages == [("hold_back", state)] * 3


def test_the_page_shows_the_states_that_there_are() -> None:
    page = (Path(__file__).parents[2] / "docs" / "internals" / "channels.md").read_text(encoding="utf-8")
    shown = {"BINDING": C.MQCHS_BINDING, "RUNNING": C.MQCHS_RUNNING, "PAUSED": C.MQCHS_PAUSED}
    shown |= {"STOPPING": C.MQCHS_STOPPING, "-": C.MQCHS_INACTIVE}
    rows = re.findall(r"^\| ([A-Z_]+) \| ([A-Z-]+) \| (.+) \|$", page, re.MULTILINE)
    assert [(name, shown[status], words) for name, status, words in rows] == [
        (state.name, state.status, state.words) for state in State
    ]


# What agents keep


def test_agents_keep_no_booleans_beside_their_state() -> None:
    """What is kept says what and when, not where the agent is: that is the state alone."""
    one, two = sender_and_receiver()
    pair = Pair(one, two)
    pair.run()
    common = {
        "environment", "channel", "transport", "peer", "partner", "counters", "negotiated", "state", "_rows",
        "substate", "stop_reasons", "on_end", "on_running", "ended", "ended_in", "_called", "_offered", "_hconn",
        "_exits", "_heartbeats", "_deadline", "_nonce",
    }  # fmt: skip
    sends = {"xmitq", "_hobj", "_queue", "_transit", "_left_in_doubt", "_sequence", "_batch", "_doubt", "_idle_since"}
    receives = {"user", "_delivery", "_sequence", "_batch", "_retry", "_backlog", "_putting"}
    # _is_awake is about the queue, not about the channel: it is going to be looked at
    assert set(vars(pair.sender)) == common | sends | {"_is_awake"}
    assert set(vars(pair.receiver)) == common | receives
    booleans = [
        name for agent in (pair.sender, pair.receiver) for name, value in vars(agent).items() if isinstance(value, bool)
    ]
    assert booleans == ["_is_awake"]


def states_are_true(agent: Agent) -> None:
    """What an agent holds is what its state says."""
    if isinstance(agent, SendingAgent):
        assert (agent._doubt is not None) == (agent.state in IS_IN_DOUBT) or agent.ended is not None
        assert agent.state not in IS_CHECKING or agent._batch.numbered
    if isinstance(agent, ReceivingAgent):
        assert (agent._retry is not None) == (agent.state in IS_PAUSED) or agent.ended is not None
        in_batch = (State.IN_BATCH, State.STOPPING_IN_BATCH, State.PAUSED_IN_BATCH, State.STOPPING_PAUSED_IN_BATCH)
        assert bool(agent._batch.luwid) == (agent.state in in_batch) or agent.ended is not None


# Both ends together


@pytest.mark.parametrize("batchhb", [0, 100])
@pytest.mark.parametrize("types", TYPES)
def test_both_ends_fit(tmp_path: Path, types: str, batchhb: int) -> None:
    """Whatever happens, neither end says what the other has no row for."""
    walker = Walker(tmp_path, types, random.Random(f"{types} {batchhb}"), batchhb=batchhb)
    for _ in range(60):
        pair = walker.walk(60, states_are_true)
        numbers = {end.message.number for end in pair.ends.values() if end.message is not None}
        assert 9504 not in numbers, pair.ends


def test_pairs_walk_through_every_row(tmp_path: Path) -> None:
    with recorded() as used:
        rng = random.Random("every row")
        walkers = [Walker(tmp_path, types, rng, batchhb=batchhb, used=used) for types in TYPES for batchhb in (0, 100)]
        for number in range(_WALKS_MAX):
            walkers[number % len(walkers)].walk(60, states_are_true)
            if used == all_rows():
                break
    left = sorted(f"{agent} {state.name} {event.name}" for agent, state, event in all_rows() - used)
    assert not left, "no walk came through these rows:\n" + "\n".join(left)


def test_a_receiver_that_is_stopped_follows_a_reset_that_is_under_way() -> None:
    """It was refused as an error of the protocol, and the channel failed instead of being stopped."""
    one, two = sender_and_receiver()
    channel_batches.reset_sequence(one.qm, SENDER, CHANNEL, "QM2", "QM2", next_sequence=17)
    pair = Pair(one, two)
    while pair.sender.state is not State.RESETTING:
        assert pair.step(pair.near) or pair.step(pair.far)
    pair.step(pair.near)
    assert pair.receiver.state is State.RECEIVING
    pair.receiver.stop(C.MQMODE_QUIESCE)
    pair.run()
    assert (pair.ends[pair.receiver].kind, pair.ends[pair.receiver].message) == ("stopped", None)
    assert pair.receiver.instance().last_sequence == 16
