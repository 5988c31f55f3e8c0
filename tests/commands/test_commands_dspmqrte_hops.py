"""`dspmqrte` over three queue managers that serve, with real channels between them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from helper_cli import SMALL, Commands

import libremq
from libremq.commands import main
from libremq.server.process.run_state import current_run

HOPS = (("QM1", "QM2"), ("QM2", "QM3"), ("QM3", "QM2"), ("QM2", "QM1"))


def define(folder: Path, ports: dict[str, int]) -> None:
    managers = {name: libremq.connect(f"local:{name}?data={folder}") for name in ports}

    def done(name: str, command: str) -> None:
        (answer,) = managers[name].mqsc(command)
        assert answer.state == "done", answer

    for name in ports:
        done(name, "ALTER QMGR CHLAUTH(DISABLED)")
    for here, there in HOPS:
        channel = f"{here}.TO.{there}"
        done(here, f"DEFINE QLOCAL({there}) USAGE(XMITQ)")
        done(there, f"DEFINE CHANNEL({channel}) CHLTYPE(RCVR)")
        done(here, f"DEFINE CHANNEL({channel}) CHLTYPE(SDR) XMITQ({there}) CONNAME('127.0.0.1({ports[there]})')")
    done("QM1", "DEFINE QREMOTE(QM3) RQMNAME(QM3) XMITQ(QM2)")
    done("QM1", "DEFINE QLOCAL(REPLIES)")
    done("QM3", "DEFINE QREMOTE(QM1) RQMNAME(QM1) XMITQ(QM2)")
    done("QM3", "DEFINE QLOCAL(TARGET)")
    done("QM3", "DEFINE QALIAS(ALIAS) TARGQ(TARGET)")
    for here, there in HOPS:
        done(here, f"START CHANNEL({here}.TO.{there})")
    for manager in managers.values():
        manager.close()


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("n")
    ports: dict[str, int] = {}
    try:
        for name in ("QM1", "QM2", "QM3"):
            assert main.main(["crtmqm", "-md", str(folder), *SMALL, name]) == 0
            assert main.main(["strmqm", "--data", str(folder), "-p", "0", name]) == 0
            run = current_run(str(folder / "qmgrs" / name))
            assert run is not None
            ports[name] = run.ports[0]
        define(folder, ports)
        yield folder
    finally:
        for name in ports:
            main.main(["endmqm", "--data", str(folder), "-i", name])


@pytest.fixture
def mq(capsys: pytest.CaptureFixture[str], network: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    monkeypatch.setenv("LIBREMQ_DATA", str(network))
    return Commands(capsys, network)


def test_the_route_to_the_third_queue_manager(mq: Commands) -> None:
    shown = mq.good("dspmqrte", "-m", "QM1", "-q", "ALIAS", "-qm", "QM3", "-w", "60")
    assert shown[3:] == [
        "AMQ8666I: Queue 'QM2' on queue manager 'QM1'.",
        "AMQ8666I: Queue 'QM3' on queue manager 'QM2'.",
        "AMQ8666I: Queue 'ALIAS' on queue manager 'QM3'.",
        "AMQ8654I: The trace-route message arrived on queue manager 'QM3'.",
        "AMQ8652I: DSPMQRTE command has finished.",
    ]


@pytest.mark.parametrize("persistence", ["yes", "no"])
def test_a_reply_instead_of_reports(mq: Commands, network: Path, persistence: str) -> None:
    words = ("-ac", "-ar", "-ro", "none", "-d", "yes", "-rq", "REPLIES", "-l", persistence)
    out = mq.good("dspmqrte", "-m", "QM1", "-q", "ALIAS", "-qm", "QM3", "-w", "60", "--json", *words)
    found = json.loads("\n".join(out))
    assert [[one["operation"] for one in activity["operations"]] for activity in found] == [
        ["Put"],
        ["Get", "Send"],
        ["Receive", "Put"],
        ["Get", "Send"],
        ["Receive", "Put", "PutReply"],
    ]
    assert found[-1]["operations"][1]["resolved"] == "TARGET"
    with libremq.connect(f"local:QM3?data={network}") as qm:
        assert qm.queue("TARGET").get(wait=120).md.Format.strip() == "MQADMIN"


def test_a_queue_that_is_not_there(mq: Commands) -> None:
    shown = mq.good("dspmqrte", "-m", "QM1", "-q", "NOWHERE", "-qm", "QM3", "-w", "60")
    assert shown[-2].startswith("AMQ8656W") and "MQRC_UNKNOWN_OBJECT_NAME" in shown[-2]


def test_a_limit_of_activities(mq: Commands) -> None:
    shown = mq.good("dspmqrte", "-m", "QM1", "-q", "ALIAS", "-qm", "QM3", "-w", "60", "-s", "3", "-v", "outline")
    assert "  Feedback: MQFB_MAX_ACTIVITIES" in shown
    assert shown[-2] == "AMQ8683W: The trace-route message reached its limit of activities on queue manager 'QM2'."
