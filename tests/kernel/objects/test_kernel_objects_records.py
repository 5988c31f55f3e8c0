"""Authority records and channel authentication rules: objects without names, which last as all others do."""

from __future__ import annotations

import random
from typing import Any

import pytest
from helper_media import FOLDER, NAME, Life

from libremq.host import lifecycle
from libremq.kernel.manager import QueueManager
from libremq.kernel.objects.catalogue import Catalogue, RecordError, from_record, to_record
from libremq.kernel.objects.object_types import AuthorityRecord, ChannelAuthentication, KeyedRecord, QueueManagerObject
from libremq.kernel.objects.system_objects import SYSTEM_LEVEL, SYSTEM_RULES, create_system_objects
from libremq.kernel.recovery import catalogue_file
from libremq.kernel.state import object_changes
from libremq.log import LogConfig, LogFull
from libremq.mqi import constants as mq
from libremq.mqi.errors import MQError
from libremq.testing import FaultyFiles, VirtualClock
from libremq.testing.faulty_files import PowerCut

T0 = 1_700_000_000.0
CIRCULAR = LogConfig(file_pages=64)
LINEAR = LogConfig(file_pages=64, type="LINEAR")


def authority(entity: str = "app", *authorities: int, profile: str = "DEV.**") -> AuthorityRecord:
    return AuthorityRecord.make(profile, mq.MQOT_Q, mq.MQZAET_PRINCIPAL, entity, authorities or (mq.MQAUTH_INPUT,))


def rule(profile: str = "APP.*", address: str = "10.0.0.*", **attributes: Any) -> ChannelAuthentication:
    return ChannelAuthentication.make(
        profile, "ADDRESSMAP", {"ADDRESS": address, "USERSRC": "CHANNEL", **attributes}, T0
    )


def own(qm: QueueManager) -> dict[tuple[str, str], dict[str, Any]]:
    found = [one for kind in ("AUTHREC", "CHLAUTH") for one in qm.core.catalogue.select(kind)]
    return {(one.kind, one.name): to_record(one) for one in found}


# Keys


def test_the_key_of_an_authority_record() -> None:
    made = authority("app", mq.MQAUTH_OUTPUT, mq.MQAUTH_INPUT, mq.MQAUTH_NONE, mq.MQAUTH_INPUT)
    assert made.name == made.key == "DEV.** QUEUE PRINCIPAL app"
    assert made.authlist == (mq.MQAUTH_INPUT, mq.MQAUTH_OUTPUT)
    qmgr = AuthorityRecord.make("QM1", mq.MQOT_Q_MGR, mq.MQZAET_GROUP, "staff", [mq.MQAUTH_CONNECT])
    assert (qmgr.name, qmgr.profile) == ("self QMGR GROUP staff", "self")
    assert authority(profile="A").name != authority(profile="B").name


@pytest.mark.parametrize(
    ("rule_type", "attributes", "key"),
    [
        ("BLOCKUSER", {"USERLIST": ["*MQADMIN", "x"]}, "APP.* BLOCKUSER"),
        ("BLOCKADDR", {"ADDRLIST": "10.0.0.1"}, "APP.* BLOCKADDR"),
        ("ADDRESSMAP", {"ADDRESS": "*", "MCAUSER": "u"}, "APP.* ADDRESSMAP ADDRESS('*')"),
        ("USERMAP", {"CLNTUSER": "o'hara"}, "APP.* USERMAP CLNTUSER('o''hara')"),
        ("QMGRMAP", {"QMNAME": "QM*", "ADDRESS": "h"}, "APP.* QMGRMAP QMNAME('QM*') ADDRESS('h')"),
        (
            "SSLPEERMAP",
            {"SSLPEER": "CN=a,O=b", "SSLCERTI": "O=c"},
            "APP.* SSLPEERMAP SSLPEER('CN=a,O=b') SSLCERTI('O=c')",
        ),
    ],
)
def test_the_key_of_a_rule(rule_type: str, attributes: dict[str, Any], key: str) -> None:
    made = ChannelAuthentication.make("APP.*", rule_type, attributes, T0)
    assert made.name == key
    assert (made.type_word, made.altdate) == (rule_type, "2023-11-14")
    assert from_record(to_record(made)).__dict__ == made.__dict__
    shown = [row.keyword for row in made.shown_rows]
    assert shown[:4] == ["CHLAUTH", "TYPE", "DESCR", "CUSTOM"] and shown[-2:] == ["ALTDATE", "ALTTIME"]
    assert set(attributes) <= set(shown)


def test_a_rule_shows_what_counts_for_it() -> None:
    def shown(source: str) -> set[str]:
        made = rule(USERSRC=source, MCAUSER="u" if source == "MAP" else "")
        return {row.keyword for row in made.shown_rows} & {"MCAUSER", "CHCKCLNT", "WARN"}

    assert shown("MAP") == {"MCAUSER", "CHCKCLNT"}
    assert shown("CHANNEL") == {"CHCKCLNT"}
    assert shown("NOACCESS") == {"WARN"}


@pytest.mark.parametrize(
    ("rule_type", "attributes", "reason"),
    [
        ("NOPE", {}, mq.MQRCCF_CHLAUTH_TYPE_ERROR),
        ("BLOCKUSER", {"ADDRESS": "*"}, mq.MQRCCF_CFIN_PARM_ID_ERROR),
        ("ADDRESSMAP", {"USERSRC": "WHO"}, mq.MQRCCF_CHLAUTH_USERSRC_ERROR),
        ("ADDRESSMAP", {"WARN": 7}, mq.MQRCCF_CHLAUTH_WARN_ERROR),
        ("ADDRESSMAP", {"ALTDATE": "x"}, mq.MQRCCF_ATTR_VALUE_FIXED),
    ],
)
def test_values_of_rules_that_are_refused(rule_type: str, attributes: dict[str, Any], reason: int) -> None:
    with pytest.raises(MQError) as error:
        ChannelAuthentication.make("C", rule_type, attributes, T0)
    assert error.value.reason == reason


@pytest.mark.parametrize("made", [authority(), rule()])
def test_a_record_whose_name_is_not_its_key_is_refused(made: KeyedRecord) -> None:
    record = to_record(made)
    assert from_record(record).__dict__ == made.__dict__
    for name in ("", "X", "../../etc/passwd", made.name + " ", made.name + "\n"):
        with pytest.raises(RecordError):
            from_record({**record, "name": name})


def test_they_are_neither_defined_nor_altered_by_name() -> None:
    catalogue = Catalogue("QM1", T0)
    catalogue.install(rule())
    for verb, args in (("define", ("CHLAUTH", "X", {})), ("alter", ("CHLAUTH", rule().name, {"DESCR": "d"}))):
        with pytest.raises(MQError) as error:
            getattr(catalogue, verb)(*args, now=T0)
        assert error.value.reason == mq.MQRC_OBJECT_TYPE_ERROR


# Setting and removing


def test_a_record_is_set_replaced_and_removed() -> None:
    life = Life(config=CIRCULAR)
    core = life.core
    version = core.definitions_version
    assert life.qm.install_record(authority("app", mq.MQAUTH_INPUT)) > 0
    assert core.definitions_version > version
    held = core.catalogue.authrecs[authority().name]
    version = core.definitions_version
    life.qm.install_record(authority("app", mq.MQAUTH_OUTPUT))
    assert core.definitions_version > version
    assert core.catalogue.authrecs[authority().name] is held
    assert isinstance(held, AuthorityRecord) and held.authlist == (mq.MQAUTH_OUTPUT,)
    version = core.definitions_version
    assert life.qm.remove_record("AUTHREC", authority().name) > 0
    assert core.definitions_version > version
    assert not core.catalogue.authrecs
    with pytest.raises(MQError):
        life.qm.remove_record("AUTHREC", authority().name)


def test_text_that_cannot_be_printed_is_refused() -> None:
    life = Life(config=CIRCULAR)
    before = own(life.qm)
    for made in (authority("a\x1b[2J"), rule(address="a\nb")):
        with pytest.raises(MQError) as error:
            life.qm.install_record(made)
        assert error.value.reason == mq.MQRCCF_ATTR_VALUE_ERROR
    assert own(life.qm) == before


def change(qm: QueueManager) -> None:
    qm.install_record(authority("app", mq.MQAUTH_INPUT))
    qm.install_record(authority("gone"))
    qm.install_record(rule(DESCR="first"))
    qm.checkpoint()
    qm.install_record(rule(DESCR="second"))
    qm.install_record(authority("CN=Ö Long,O=With blanks", mq.MQAUTH_BROWSE))
    qm.remove_record("AUTHREC", authority("gone").name)
    qm.remove_record("CHLAUTH", "* BLOCKUSER")


@pytest.mark.parametrize("orderly", [True, False])
@pytest.mark.parametrize("config", [CIRCULAR, LINEAR])
def test_they_survive_a_restart(orderly: bool, config: LogConfig) -> None:
    life = Life(config=config)
    change(life.qm)
    wanted = own(life.qm)
    assert ("CHLAUTH", "* BLOCKUSER") not in wanted
    for _ in range(2):
        life.restart(orderly=orderly)
        assert own(life.qm) == wanted


def test_they_are_read_back_from_a_linear_log() -> None:
    life = Life(config=LINEAR)
    change(life.qm)
    life.qm.checkpoint()
    wanted = own(life.qm)
    path = catalogue_file.path_of(FOLDER, life.core.catalogue_generation)
    life.stop(orderly=False)
    life.files.remove(path)
    life.start()
    assert own(life.qm) == wanted
    held = life.core.catalogue.authrecs[authority().name]
    assert isinstance(held, AuthorityRecord)
    held.authlist = ()
    assert not any(one.problem for one in life.recover("all", "*") if one.kind in ("AUTHREC", "CHLAUTH"))
    assert own(life.qm) == wanted


def test_no_power_cut_loses_what_was_answered() -> None:
    base, clock = FaultyFiles(), VirtualClock()
    lifecycle.create(base, FOLDER, NAME, clock, CIRCULAR)
    commands = (
        lambda qm: qm.install_record(authority("app", mq.MQAUTH_INPUT)),
        lambda qm: qm.install_record(rule(DESCR="new")),
        lambda qm: qm.checkpoint(),
        lambda qm: qm.install_record(authority("app", mq.MQAUTH_OUTPUT)),
        lambda qm: qm.remove_record("CHLAUTH", rule().name),
    )
    rng, moment = random.Random(11), 1
    while True:
        files = base.copy()
        files.crash_at = files.operations + moment
        states, answered, cut = [], 0, False
        try:
            qm = lifecycle.start(files, FOLDER, NAME, clock)
            states = [own(qm)]
            for command in commands:
                states.append(states[-1])
                try:
                    command(qm)
                finally:
                    states[-1] = own(qm)
                qm.core.log.force()
                answered = len(states) - 1
            qm.end()
        except PowerCut:
            cut = True
        for state in files.disk_states(rng, limit=4):
            again = lifecycle.start(state, FOLDER, NAME, clock)
            assert not states or own(again) in states[answered:], f"cut at operation {moment}"
            again.abandon()
        if not cut:
            break
        moment += 1
    assert moment > 10


def test_a_full_log_leaves_the_record_before() -> None:
    life = Life(config=LogConfig(primary_files=2, secondary_files=1, file_pages=64))
    core, long = life.core, "e" * 1000
    before: dict[tuple[str, str], dict[str, Any]] = {}
    with pytest.raises(LogFull):
        for number in range(10_000):
            before = own(life.qm)
            object_changes.install_record(core, authority(long, number % 20 + 1))
    assert own(life.qm) == before
    with pytest.raises(LogFull):
        object_changes.install_record(core, authority(long + "2"))
    assert own(life.qm) == before
    object_changes.remove_record(core, "AUTHREC", authority(long).name)  # a deletion has room that is kept for it
    del before["AUTHREC", authority(long).name]
    life.restart(orderly=False)
    assert own(life.qm) == before


# The rules that every queue manager has


def system_rules(qm: QueueManager) -> list[tuple[str, str, int, tuple[str, ...]]]:
    rules = [one for one in qm.core.catalogue.chlauths.values() if isinstance(one, ChannelAuthentication)]
    return [(one.chlauth, one.type_word, one.usersrc, one.userlist) for one in rules]


EXPECTED = [
    ("SYSTEM.ADMIN.SVRCONN", "ADDRESSMAP", mq.MQUSRC_CHANNEL, ()),
    ("SYSTEM.*", "ADDRESSMAP", mq.MQUSRC_NOACCESS, ()),
    ("*", "BLOCKUSER", mq.MQUSRC_MAP, ("*MQADMIN",)),
]


def test_a_new_queue_manager_keeps_strangers_and_privileged_users_out() -> None:
    life = Life(config=CIRCULAR)
    assert system_rules(life.qm) == EXPECTED
    qmgr = life.core.catalogue.qmgr
    assert isinstance(qmgr, QueueManagerObject)
    assert (qmgr.connauth, qmgr.chlauth) == ("SYSTEM.DEFAULT.AUTHINFO.IDPWOS", mq.MQCHLA_ENABLED)
    assert life.core.catalogue.find("IDPWOS", qmgr.connauth) is not None


def older(level: int) -> FaultyFiles:
    """A queue manager of the release that had channels and listeners, but nothing of what came after."""
    files = FaultyFiles()
    lifecycle.create(files, FOLDER, NAME, VirtualClock(), CIRCULAR)
    content = catalogue_file.read(files, FOLDER, 1)
    known = {"QMGR", "QLOCAL", "QALIAS", "QREMOTE", "QMODEL", "PROCESS", "NAMELIST", "SVRCONN", "LISTENER"}
    content["objects"] = [one for one in content["objects"] if one["object"]["kind"] in known]
    for one in content["objects"]:
        if "system_level" in one["object"]:
            one["object"]["system_level"] = level
    catalogue_file.write(files, FOLDER, 1, content)
    return files


def test_an_older_queue_manager_gets_the_same_objects_and_rules() -> None:
    life = Life(older(2))
    fresh = Catalogue(NAME, life.clock.now())
    create_system_objects(fresh, life.clock.now())
    assert {(one.kind, one.name) for one in life.core.catalogue} == {(one.kind, one.name) for one in fresh}
    for one in fresh:
        if one.kind != "QMGR":
            found = life.core.catalogue.find(one.kind, one.name)
            assert found is not None and found.__dict__ == one.__dict__
    assert system_rules(life.qm) == EXPECTED
    assert life.core.catalogue.qmgr.system_level == SYSTEM_LEVEL
    # What is removed afterwards stays so
    life.qm.remove_record("CHLAUTH", "* BLOCKUSER")
    life.qm.delete("TOPIC", "SYSTEM.ADMIN.TOPIC")
    life.restart()
    assert len(life.core.catalogue.chlauths) == len(SYSTEM_RULES) - 1
    assert life.core.catalogue.find("TOPIC", "SYSTEM.ADMIN.TOPIC") is None


def test_a_queue_that_was_deleted_does_not_come_back_with_the_topic_of_its_name() -> None:
    files = older(2)
    content = catalogue_file.read(files, FOLDER, 1)
    name = "SYSTEM.BROKER.ADMIN.STREAM"
    content["objects"] = [one for one in content["objects"] if one["object"]["name"] != name]
    catalogue_file.write(files, FOLDER, 1, content)
    life = Life(files)
    assert life.core.catalogue.find("QUEUE", name) is None
    assert life.core.catalogue.find("TOPIC", name) is not None
