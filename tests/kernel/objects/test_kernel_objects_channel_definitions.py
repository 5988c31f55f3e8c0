"""Channels and listeners: rules of their own, and that they last as any other definition does."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from helper_media import FOLDER, NAME, Life

from libremq.host import lifecycle
from libremq.kernel.manager import QueueManager
from libremq.kernel.objects.catalogue import Catalogue, RecordError, from_record, to_record
from libremq.kernel.objects.object_types import Listener, ServerConnection
from libremq.kernel.objects.system_objects import SYSTEM_LEVEL, create_system_objects
from libremq.kernel.recovery import catalogue_file
from libremq.kernel.recovery.log_dump import LogFormatter
from libremq.kernel.state import object_changes
from libremq.log import LogConfig, LogFull
from libremq.log.log_dump_reader import dump
from libremq.mqi import constants as mq
from libremq.mqi.errors import InvalidAttribute, InvalidName, MQError, ObjectExists, ObjectTypeError, UnknownObject
from libremq.testing import FaultyFiles, VirtualClock
from libremq.testing.faulty_files import PowerCut

T0 = 1_700_000_000.0
CIRCULAR = LogConfig(file_pages=64)
NEW_OBJECTS = (
    ("SVRCONN", "SYSTEM.DEF.SVRCONN"),
    ("SVRCONN", "SYSTEM.AUTO.SVRCONN"),
    ("LISTENER", "SYSTEM.DEFAULT.LISTENER.TCP"),
)


@pytest.fixture
def catalogue() -> Catalogue:
    made = Catalogue("QM1", T0)
    create_system_objects(made, T0)
    return made


def channel(catalogue: Catalogue, name: str) -> ServerConnection:
    found = catalogue.find("CHANNEL", name)
    assert isinstance(found, ServerConnection)
    return found


# Rules


def test_a_channel_is_defined_with_its_type_as_a_word_or_a_number(catalogue: Catalogue) -> None:
    for name, given in (("A", "svrconn"), ("B", "SVRCONN"), ("C", mq.MQCHT_SVRCONN)):
        made = catalogue.define("channel", name, {"ChlType": given, "MCAUSER": "app"}, now=T0)
        assert type(made) is ServerConnection
        assert (made.kind, made.chltype, made.mcauser, made.sharecnv) == ("SVRCONN", mq.MQCHT_SVRCONN, "app", 10)
        assert catalogue.find("CHANNEL", name) is catalogue.find("SVRCONN", name) is made


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ({}, mq.MQRCCF_CHANNEL_TYPE_ERROR),
        ({"CHLTYPE": "MQTT"}, mq.MQRCCF_CHANNEL_TYPE_ERROR),
        ({"CHLTYPE": mq.MQCHT_ALL}, mq.MQRCCF_CHANNEL_TYPE_ERROR),
        ({"CHLTYPE": None}, mq.MQRCCF_CHANNEL_TYPE_ERROR),
        ({"CHLTYPE": "SVRCONN", "chltype": "SVRCONN"}, mq.MQRCCF_CFIN_DUPLICATE_PARM),
        ({"CHLTYPE": "SVRCONN", "XMITQ": "X"}, mq.MQRCCF_CFIN_PARM_ID_ERROR),
        ({"CHLTYPE": "SVRCONN", "ALTDATE": "2000-01-01"}, mq.MQRCCF_ATTR_VALUE_FIXED),
        ({"CHLTYPE": "SVRCONN", "TRPTYPE": "LU62"}, mq.MQRCCF_XMIT_PROTOCOL_TYPE_ERR),
        ({"CHLTYPE": "SVRCONN", "HBINT": 1000000}, mq.MQRCCF_HB_INTERVAL_ERROR),
        ({"CHLTYPE": "SVRCONN", "KAINT": -2}, mq.MQRCCF_KEEP_ALIVE_INT_ERROR),
        ({"CHLTYPE": "SVRCONN", "DISCINT": -1}, mq.MQRCCF_DISC_INT_ERROR),
        ({"CHLTYPE": "SVRCONN", "MAXMSGL": 104857601}, mq.MQRCCF_MAX_MSG_LENGTH_ERROR),
        ({"CHLTYPE": "SVRCONN", "SHARECNV": -1}, mq.MQRCCF_SHARING_CONVS_ERROR),
        ({"CHLTYPE": "SVRCONN", "MAXINST": "many"}, mq.MQRCCF_MAX_INSTANCES_ERROR),
        ({"CHLTYPE": "SVRCONN", "MAXINSTC": -1}, mq.MQRCCF_MAX_INSTS_PER_CLNT_ERR),
        ({"CHLTYPE": "SVRCONN", "SSLCAUTH": "NEVER"}, mq.MQRCCF_SSL_CLIENT_AUTH_ERROR),
        ({"CHLTYPE": "SVRCONN", "MCAUSER": "x" * 13}, mq.MQRCCF_CFST_STRING_LENGTH_ERR),
        ({"CHLTYPE": "SVRCONN", "SSLPEER": "x" * 1025}, mq.MQRCCF_CFST_STRING_LENGTH_ERR),
    ],
)
def test_what_a_channel_cannot_be(catalogue: Catalogue, attributes: dict[str, Any], reason: int) -> None:
    before = [to_record(one) for one in catalogue]
    with pytest.raises(MQError) as error:
        catalogue.define("CHANNEL", "C", attributes, now=T0)
    assert error.value.reason == reason
    if reason != mq.MQRCCF_CFIN_PARM_ID_ERROR:
        assert isinstance(error.value, InvalidAttribute)
    assert [to_record(one) for one in catalogue] == before


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ({"PORT": 65536}, mq.MQRCCF_PORT_NUMBER_ERROR),
        ({"BACKLOG": -1}, mq.MQRCCF_BACKLOG_OUT_OF_RANGE),
        ({"TRPTYPE": "SPX"}, mq.MQRCCF_XMIT_PROTOCOL_TYPE_ERR),
        ({"CONTROL": "AUTO"}, mq.MQRCCF_ATTR_VALUE_ERROR),
        ({"CHLTYPE": "SVRCONN"}, mq.MQRCCF_CFIN_PARM_ID_ERROR),
    ],
)
def test_what_a_listener_cannot_be(catalogue: Catalogue, attributes: dict[str, Any], reason: int) -> None:
    with pytest.raises(InvalidAttribute) as error:
        catalogue.define("LISTENER", "L", attributes, now=T0)
    assert error.value.reason == reason


def test_a_listener_without_a_port_listens_on_the_one_of_mq(catalogue: Catalogue) -> None:
    made = catalogue.define("LISTENER", "L", {"TRPTYPE": "tcp", "CONTROL": "QMGR"}, now=T0)
    assert isinstance(made, Listener)
    assert (made.port, made.effective_port, made.backlog, made.effective_backlog) == (0, 1414, 0, 100)
    catalogue.alter("LISTENER", "L", {"PORT": 1515, "BACKLOG": 7}, now=T0)
    assert (made.effective_port, made.effective_backlog, made.control) == (1515, 7, mq.MQSVC_CONTROL_Q_MGR)


@pytest.mark.parametrize("name", ["", "A B", "A*", "X" * 21, "X" * 49])
def test_bad_names_of_channels(catalogue: Catalogue, name: str) -> None:
    with pytest.raises(InvalidName) as error:
        catalogue.define("CHANNEL", name, {"CHLTYPE": "SVRCONN"}, now=T0)
    assert error.value.reason == mq.MQRCCF_CHANNEL_NAME_ERROR


def test_names_of_channels_have_20_characters_and_those_of_listeners_48(catalogue: Catalogue) -> None:
    catalogue.define("CHANNEL", "X" * 20, {"CHLTYPE": "SVRCONN"}, now=T0)
    catalogue.define("LISTENER", "X" * 48, {}, now=T0)
    record = to_record(channel(catalogue, "X" * 20))
    with pytest.raises(RecordError, match="too long"):
        from_record({**record, "name": "X" * 21})


def test_errors_of_channels_have_their_own_reasons(catalogue: Catalogue) -> None:
    catalogue.define("CHANNEL", "C", {"CHLTYPE": "SVRCONN"}, now=T0)
    with pytest.raises(ObjectExists) as exists:
        catalogue.define("CHANNEL", "C", {"CHLTYPE": "SVRCONN"}, now=T0)
    assert exists.value.reason == mq.MQRCCF_CHANNEL_ALREADY_EXISTS
    for command in (
        lambda: catalogue.alter("CHANNEL", "D", {"HBINT": 5}, now=T0),
        lambda: catalogue.delete("CHANNEL", "D"),
        lambda: catalogue.define("CHANNEL", "E", {"CHLTYPE": "SVRCONN"}, like="D", now=T0),
    ):
        with pytest.raises(UnknownObject) as unknown:
            command()
        assert unknown.value.reason == mq.MQRCCF_CHANNEL_NOT_FOUND
    with pytest.raises(UnknownObject) as unknown:
        catalogue.delete("LISTENER", "L")
    assert unknown.value.reason == mq.MQRC_UNKNOWN_OBJECT_NAME


def test_like_replace_alter_delete_and_patterns(catalogue: Catalogue) -> None:
    first = catalogue.define(
        "CHANNEL", "MY.A", {"CHLTYPE": "SVRCONN", "HBINT": 7, "SENDEXIT": "x(y)", "COMPMSG": "RLE,NONE"}, now=T0
    )
    catalogue.define("CHANNEL", "MY.B", {"CHLTYPE": "SVRCONN", "DESCR": "own"}, like="MY.A", now=T0)
    second = channel(catalogue, "MY.B")
    assert (second.hbint, second.descr, second.sendexit, second.compmsg) == (7, "own", ("x(y)",), (1, 0))
    catalogue.alter("CHANNEL", "SYSTEM.DEF.SVRCONN", {"MAXINST": 9}, now=T0)
    again = catalogue.define("CHANNEL", "MY.A", {"CHLTYPE": "SVRCONN", "KAINT": "AUTO"}, replace=True, now=T0)
    assert again is first
    assert (channel(catalogue, "MY.A").hbint, channel(catalogue, "MY.A").maxinst) == (300, 9)
    # MQSC has the type in ALTER too
    catalogue.alter("CHANNEL", "MY.B", {"CHLTYPE": "SVRCONN", "MAXINST": 3}, now=T0)
    catalogue.alter("SVRCONN", "MY.B", {"SENDEXIT": " "}, now=T0)
    assert (second.maxinst, second.sendexit, second.hbint) == (3, (), 7)
    assert [one.name for one in catalogue.select("CHANNEL", "MY.*")] == ["MY.A", "MY.B"]
    assert [one.name for one in catalogue.select("svrconn", "MY.B")] == ["MY.B"]
    catalogue.delete("CHANNEL", "MY.A")
    assert catalogue.find("CHANNEL", "MY.A") is None


def test_channels_and_listeners_have_names_of_their_own(catalogue: Catalogue) -> None:
    for kind in ("QLOCAL", "PROCESS", "NAMELIST", "LISTENER"):
        catalogue.define(kind, "SAME", {}, now=T0)
    catalogue.define("CHANNEL", "SAME", {"CHLTYPE": "SVRCONN"}, now=T0)
    assert sum(one.name == "SAME" for one in catalogue) == 5


def test_a_type_in_a_definition_that_is_not_the_kind_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(ObjectTypeError):
        catalogue.define("QMGR", "C", {"CHLTYPE": "SVRCONN"}, now=T0)
    with pytest.raises(InvalidAttribute):
        catalogue.define("QLOCAL", "C", {"CHLTYPE": "SVRCONN"}, now=T0)


# Lasting


def definitions(life: Life) -> dict[tuple[str, str], dict[str, Any]]:
    return {(one.kind, one.name): to_record(one) for one in life.core.catalogue}


def change(life: Life) -> None:
    """Something of everything, before and after a checkpoint."""
    life.qm.define("CHANNEL", "KEPT", {"chltype": "svrconn", "sendexit": ["x(y)"], "mcauser": "app"})
    life.qm.define("CHANNEL", "GONE", {"chltype": "svrconn"})
    life.qm.define("LISTENER", "L", {"port": 1515, "control": "qmgr"})
    life.qm.checkpoint()
    life.qm.alter("CHANNEL", "KEPT", {"hbint": 5, "compmsg": "RLE,NONE"})
    life.qm.alter("LISTENER", "L", {"ipaddr": "localhost"})
    life.qm.delete("CHANNEL", "GONE")
    life.qm.define("CHANNEL", "LATE", {"chltype": "svrconn"}, like="KEPT")
    life.qm.define("LISTENER", "BRIEF", {})
    life.qm.delete("LISTENER", "BRIEF")


@pytest.mark.parametrize("orderly", [True, False])
@pytest.mark.parametrize("linear", [True, False])
def test_channels_and_listeners_survive_a_restart(orderly: bool, linear: bool) -> None:
    life = Life() if linear else Life(config=CIRCULAR)
    change(life)
    wanted, media = definitions(life), dict(life.core.media)
    for _ in range(2):
        life.restart(orderly=orderly)
        assert definitions(life) == wanted
        assert life.core.media == media
    kept = channel(life.core.catalogue, "LATE")
    assert (kept.hbint, kept.sendexit, kept.compmsg) == (5, ("x(y)",), (mq.MQCOMPRESS_RLE, mq.MQCOMPRESS_NONE))


def test_what_was_answered_survives_a_power_cut_at_any_moment() -> None:
    """Every command is forced before its answer; after a cut each is there as a whole, or, if it was the last, not."""
    commands: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
        ("define", "CHANNEL", "C1", {"chltype": "svrconn", "mcauser": "app"}),
        ("define", "LISTENER", "L1", {"port": 1515}),
        ("alter", "CHANNEL", "C1", {"hbint": 9, "rcvexit": ["a(b)"]}),
        ("checkpoint", "", "", {}),
        ("define", "CHANNEL", "C2", {"chltype": "svrconn", "descr": "second"}),
        ("delete", "CHANNEL", "C1", {}),
        ("alter", "LISTENER", "L1", {"port": 1616}),
    )
    base, clock = FaultyFiles(), VirtualClock()
    lifecycle.create(base, FOLDER, NAME, clock, CIRCULAR)
    rng = random.Random(5)
    moment = 1
    while True:
        files = base.copy()
        files.crash_at = files.operations + moment
        states: list[dict[tuple[str, str], Any]] = [{}]
        answered = 0
        cut = False
        try:
            qm = lifecycle.start(files, FOLDER, NAME, clock)
            states = [_own(qm)]
            for verb, kind, name, attributes in commands:
                expected = dict(states[-1])
                if verb == "checkpoint":
                    qm.checkpoint()
                elif verb == "delete":
                    del expected["SVRCONN" if kind == "CHANNEL" else kind, name]
                    states.append(expected)
                    qm.delete(kind, name)
                else:
                    made = Catalogue(NAME, clock.now())
                    for one in qm.core.catalogue:
                        made.install(from_record(to_record(one)))
                    getattr(made, verb)(kind, name, attributes, now=clock.now())
                    obj = made.find(kind, name)
                    assert obj is not None
                    expected[obj.kind, name] = to_record(obj)
                    states.append(expected)
                    getattr(qm, verb)(kind, name, attributes)
                qm.core.log.force()
                answered = len(states) - 1
            qm.end()
        except PowerCut:
            cut = True
        for state in files.disk_states(rng, limit=6):
            again = lifecycle.start(state, FOLDER, NAME, clock)
            assert _own(again) in states[answered:], f"cut at operation {moment}"
            again.abandon()
        if not cut:
            break
        moment += 1
    assert moment > 20


def _own(qm: QueueManager) -> dict[tuple[str, str], Any]:
    found = [one for kind in ("CHANNEL", "LISTENER") for one in qm.core.catalogue.select(kind)]
    return {(one.kind, one.name): to_record(one) for one in found if not one.name.startswith("SYSTEM.")}


def test_they_are_read_back_from_a_linear_log() -> None:
    life = Life()
    change(life)
    life.record("chl", "KEPT")
    wanted = definitions(life)
    for kind, name, slot in (("SVRCONN", "KEPT", "hbint"), ("LISTENER", "L", "port"), ("SVRCONN", "LATE", "mcauser")):
        obj = life.core.catalogue.find(kind, name)
        assert obj is not None
        obj.__dict__[slot] = 0
    results = [*life.recover("channel", "*"), *life.recover("lstr", "L")]
    assert not any(one.problem for one in results)
    assert definitions(life) == wanted


def test_a_damaged_catalogue_of_a_linear_log_is_made_anew_with_them() -> None:
    life = Life()
    change(life)
    life.qm.checkpoint()
    wanted = definitions(life)
    path = catalogue_file.path_of(FOLDER, life.core.catalogue_generation)
    life.stop(orderly=False)
    life.files.remove(path)
    life.start()
    assert definitions(life) == wanted
    assert life.core.catalogue.qmgr.system_level == SYSTEM_LEVEL


def test_a_full_log_leaves_channels_as_they_were() -> None:
    life = Life(config=LogConfig(primary_files=2, secondary_files=1, file_pages=64))
    life.qm.define("CHANNEL", "C", {"chltype": "svrconn"})
    core, before = life.core, definitions(life)
    # Below the verbs nobody makes room
    with pytest.raises(LogFull):
        for number in range(10_000):
            before = definitions(life)
            object_changes.alter(core, "CHANNEL", "C", {"hbint": number, "sendexit": ["x(y)"] * 8})
    assert definitions(life) == before
    commands: tuple[Callable[[], int], ...] = (
        lambda: object_changes.define(core, "CHANNEL", "NEW", {"chltype": "svrconn", "sslpeer": "CN=" + "x" * 1000}),
        lambda: object_changes.define(
            core, "CHANNEL", "C", {"chltype": "svrconn", "sslpeer": "CN=" + "x" * 1000}, replace=True
        ),
    )
    for command in commands:
        with pytest.raises(LogFull):
            command()
        assert definitions(life) == before
    object_changes.delete(core, "CHANNEL", "C")  # a deletion has room that is kept for it
    del before["SVRCONN", "C"]
    life.restart(orderly=False)
    assert definitions(life) == before


def test_the_dump_of_the_log_shows_them() -> None:
    life = Life(config=CIRCULAR)
    change(life)
    life.stop(orderly=False)
    formatter = LogFormatter()
    shown = [formatter.describe(line) for line in dump(life.files, f"{FOLDER}/log")]
    objects = [(one["operation"], one["object_type"], one["object"]) for one in shown if "object_type" in one]
    assert ("set", "SVRCONN", "KEPT") in objects
    assert ("delete", "SVRCONN", "GONE") in objects
    assert ("set", "LISTENER", "L") in objects


# Data of the release before


def as_before(files: FaultyFiles) -> None:
    """Make a new queue manager one of the release that had neither channels nor listeners."""
    content = catalogue_file.read(files, FOLDER, 1)
    content["objects"] = [
        one for one in content["objects"] if (one["object"]["kind"], one["object"]["name"]) not in NEW_OBJECTS
    ]
    for one in content["objects"]:
        one["object"].pop("system_level", None)
    catalogue_file.write(files, FOLDER, 1, content)


def older(config: LogConfig = CIRCULAR) -> FaultyFiles:
    files = FaultyFiles()
    lifecycle.create(files, FOLDER, NAME, VirtualClock(), config)
    as_before(files)
    return files


def present(life: Life) -> list[tuple[str, str]]:
    return [key for key in NEW_OBJECTS if life.core.catalogue.find(*key) is not None]


@pytest.mark.parametrize("linear", [True, False])
def test_a_start_gives_an_older_queue_manager_the_system_objects_it_lacks(linear: bool) -> None:
    life = Life(older(LogConfig(file_pages=64, type="LINEAR") if linear else CIRCULAR))
    assert present(life) == list(NEW_OBJECTS)
    assert any("new system objects: SYSTEM.DEF.SVRCONN" in text for text in life.said)
    fresh = Catalogue(NAME, life.clock.now())
    create_system_objects(fresh, life.clock.now())
    for key in NEW_OBJECTS:
        made, supplied = life.core.catalogue.find(*key), fresh.find(*key)
        assert made is not None and supplied is not None
        assert made.__dict__ == supplied.__dict__
    assert set(life.core.media) == ({(one.kind, one.name) for one in life.core.catalogue} if linear else set())
    wanted = definitions(life)
    life.said.clear()
    life.restart(orderly=False)
    assert definitions(life) == wanted
    assert not any("new system objects" in text for text in life.said)


def test_what_is_deleted_afterwards_stays_deleted() -> None:
    life = Life(older())
    life.qm.delete("PROCESS", "SYSTEM.DEFAULT.PROCESS")
    for kind, name in NEW_OBJECTS:
        life.qm.delete(kind, name)
    life.restart()
    life.restart(orderly=False)
    assert present(life) == []
    assert life.core.catalogue.find("PROCESS", "SYSTEM.DEFAULT.PROCESS") is None


def test_a_power_cut_while_they_are_given_is_made_good_by_the_next_start() -> None:
    base = older()
    rng = random.Random(3)
    moment = 1
    while True:
        files = base.copy()
        files.crash_at = files.operations + moment
        try:
            lifecycle.start(files, FOLDER, NAME, VirtualClock()).abandon()
            break
        except PowerCut:
            for state in files.disk_states(rng, limit=5):
                life = Life(state)
                assert present(life) == list(NEW_OBJECTS), f"cut at operation {moment}"
                assert life.core.catalogue.qmgr.system_level == SYSTEM_LEVEL
                life.qm.abandon()
        moment += 1
    assert moment > 3
