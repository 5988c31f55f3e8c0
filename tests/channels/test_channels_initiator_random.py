"""Channels under all that can happen to them, at random: each message arrives once, in order; all comes to rest."""

from __future__ import annotations

import random

import pytest
from helper_network import Host, Network

from libremq.channels.channel_refusal import ChannelRefusal
from libremq.kernel.units import channel_batches
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError

_KINDS = [("SDR", "RCVR"), ("SVR", "RQSTR"), ("SDR", "RQSTR"), ("SVR", "RCVR")]
_STATES = {"RUNNING", "RETRYING", "STOPPED", "STARTING", "BINDING", "REQUESTING", "STOPPING", "PAUSED"}


def make(rng: random.Random) -> tuple[Network, Host, Host]:
    """A channel in each direction, of any types that fit."""
    net = Network("QM1", "QM2")
    one, two = net.hosts["qm1"], net.hosts["qm2"]
    for here, there in ((one, two), (two, one)):
        sender, receiver = rng.choice(_KINDS)
        name = f"{here.name}.TO.{there.name}"
        here.define("QLOCAL", there.name, USAGE=C.MQUS_TRANSMISSION)
        if rng.random() < 0.7:
            here.qm.alter(
                "QLOCAL", there.name, {"TRIGGER": "TRIGGER", "TRIGTYPE": "FIRST", "INITQ": "SYSTEM.CHANNEL.INITQ"}
            )
        here.define(
            sender, name, XMITQ=there.name, CONNAME=f"{there.name.lower()}(1414)", BATCHSZ=rng.choice([1, 2, 5]),
            SHORTRTY=rng.choice([0, 2]), SHORTTMR=5, LONGRTY=rng.choice([0, 3]), LONGTMR=20,
            DISCINT=rng.choice([0, 10]),
        )  # fmt: skip
        there.define(receiver, name, **({"CONNAME": f"{here.name.lower()}(1414)"} if receiver == "RQSTR" else {}))
        there.define("QLOCAL", "TARGET")
    return net, one, two


def disturb(net: Network, rng: random.Random, hosts: list[Host], sent: dict[str, list[bytes]]) -> None:
    host = rng.choice(hosts)
    other = next(one for one in hosts if one is not host)
    name = rng.choice([f"{host.name}.TO.{other.name}", f"{other.name}.TO.{host.name}"])
    what = rng.choice(["put", "put", "put", "start", "stop", "cut", "crash", "restart", "down", "up", "time", "ping"])
    try:
        if what == "put":
            for _ in range(rng.randrange(1, 5)):
                data = b"%d" % len(sent[other.name])
                host.put("TARGET", data, qmgr=other.name)
                sent[other.name].append(data)
        elif what == "start":
            host.initiator.start(name)
        elif what == "stop":
            after = rng.choice([C.MQCHS_STOPPED, C.MQCHS_INACTIVE])
            host.initiator.stop(name, rng.choice([C.MQMODE_QUIESCE, C.MQMODE_FORCE, C.MQMODE_TERMINATE]), after=after)
        elif what == "cut":
            net.cut(host)
        elif what == "crash":
            host.crash()
        elif what == "restart":
            host.restart()
        elif what == "down":
            net.down.add(host.name.lower())
        elif what == "up":
            net.down.clear()
        elif what == "time":
            net.pass_time(rng.choice([1, 6, 30]))
        elif what == "ping":
            host.initiator.ping(name, b"ping", lambda message: None)
    except MQError as error:
        assert what in ("start", "ping"), (what, error)
    except ChannelRefusal as refusal:
        raise AssertionError("a refusal is for partners") from refusal


@pytest.mark.parametrize("seed", range(25))
def test_whatever_happens_all_messages_arrive_once(seed: int) -> None:
    rng = random.Random(seed)
    net, one, two = make(rng)
    hosts = [one, two]
    sent: dict[str, list[bytes]] = {"QM1": [], "QM2": []}
    for _ in range(60):
        disturb(net, rng, hosts, sent)
        for _ in range(rng.randrange(6)):
            moves = [(link, wire) for link in net.links for wire in (link.near, link.far)]
            if not moves or not net._move(*rng.choice(moves)):
                net._step(moves=rng.random() < 0.5)
        for host in hosts:
            assert {*host.states.values()} <= _STATES
            host.initiator.next_deadline()
    net.down.clear()
    for here, there in ((one, two), (two, one)):
        name = f"{here.name}.TO.{there.name}"
        net.run()
        for host in (there, here):
            host.initiator.stop(name, C.MQMODE_FORCE)
            net.run()
            host.initiator.stop(name, C.MQMODE_FORCE, after=C.MQCHS_INACTIVE)
        assert name not in here.states and name not in there.states
        here.initiator.start(name)
        net.run()
        assert here.shown(name).status == there.shown(name).status == C.MQCHS_RUNNING
        assert there.content("TARGET") == sent[there.name]
        assert here.depth(there.name) == 0
        assert not channel_batches.in_doubt(here.qm.core)
    for host in hosts:
        assert not host.qm.core.catalogue.channel_states
        assert not any(text.startswith("AMQ9604") for text in host.said)
