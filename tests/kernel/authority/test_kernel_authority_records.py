"""Authority records: given, taken, shown, kept over a crash, and what they mean together."""

from __future__ import annotations

import itertools
import random

import pytest
from helper_authority import Rig
from hypothesis import given, settings
from hypothesis import strategies as st

from libremq.common import users_file
from libremq.kernel.authority import object_authority
from libremq.kernel.authority.object_authority import Issuer
from libremq.kernel.objects.object_types import AuthorityRecord
from libremq.kernel.state import object_changes
from libremq.kernel.verbs.put_forms import PutForm
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError
from libremq.mqi.structs import MQMD, MQOD, MQPMO
from libremq.security.authorities import APPLICABLE, bit, words
from libremq.security.profiles import matches, most_specific
from libremq.testing.faulty_files import PowerCut

Q, QMGR = C.MQOT_Q, C.MQOT_Q_MGR
PRINCIPAL, GROUP = C.MQZAET_PRINCIPAL, C.MQZAET_GROUP


def records(rig: Rig) -> dict[str, list[str]]:
    return {
        name: words(sum(map(bit, record.authlist)))
        for name, record in rig.core.catalogue.authrecs.items()
        if isinstance(record, AuthorityRecord)
    }


def rights(rig: Rig, user: str, name: str, of: int = Q, groups: tuple[str, ...] = ()) -> list[str]:
    return words(rig.core.authorities.rights(rig.core, user, frozenset(groups), of, name))


def refused(reason: int, call: object, *args: object, **more: object) -> str:
    with pytest.raises(MQError) as caught:
        call(*args, **more)  # type: ignore[operator]
    assert caught.value.reason == reason
    return caught.value.detail


@pytest.fixture
def rig() -> Rig:
    return Rig()


# SET AUTHREC

CHANGES = [
    # before, AUTHADD, AUTHRMV, after
    ("", "PUT,GET", "", "get put"),
    ("get put", "INQ", "GET", "put inq"),
    ("get put browse", "PUT", "ALL", "put"),
    ("get put", "ALL", "CHG", "get browse put inq set dlt dsp passid passall setid setall clr"),
    ("get dsp chg", "", "ALLADM", "get"),
    ("get dsp chg", "", "ALLMQI", "chg dsp"),
    ("get", "NONE", "", "get"),
    ("", "NONE", "", ""),
    ("get", "", "ALL", ""),
    ("", "", "PUT", ""),
    ("put", "ALLMQI", "ALL", "get browse put inq set passid passall setid setall"),
]


@pytest.mark.parametrize(("before", "add", "remove", "after"), CHANGES)
def test_set_authority(rig: Rig, before: str, add: str, remove: str, after: str) -> None:
    if before:
        rig.set("app", Q, "A.*", add=before.split())
    rig.set("app", Q, "A.*", add=[one for one in add.split(",") if one], remove=[x for x in remove.split(",") if x])
    assert records(rig) == {"A.* QUEUE PRINCIPAL app": after.split()}


def test_several_entities_at_once(rig: Rig) -> None:
    users_file.set_password(rig.files, "qm", "app", "x")
    users_file.set_groups(rig.files, "qm", "app", ["orders"])
    object_authority.set_authority(
        rig.core, "", "QMGR", principals=["app", "bob"], groups=["orders", "mqm"], add=["CONNECT"]
    )
    assert set(records(rig)) == {
        "self QMGR PRINCIPAL app", "self QMGR PRINCIPAL bob", "self QMGR GROUP orders", "self QMGR GROUP mqm",
    }  # fmt: skip


@pytest.mark.parametrize("profile", ["", "SELF", "self", "QM1", "*", "anything at all"])
def test_the_queue_manager_has_one_profile(rig: Rig, profile: str) -> None:
    rig.set("app", QMGR, profile, add=["connect"])
    assert records(rig) == {"self QMGR PRINCIPAL app": ["connect"]}


def test_create_is_kept_for_the_type(rig: Rig) -> None:
    rig.set("app", Q, "A.**", add=["ALLADM", "CRT"])
    rig.set("bob", Q, "B", add=["CRT"])
    rig.set("eve", Q, "@CLASS", add=["CRT"])
    rig.set("qm", QMGR, "", add=["CRT"])
    assert records(rig) == {
        "A.** QUEUE PRINCIPAL app": ["dlt", "chg", "dsp", "clr"],
        "@class QUEUE PRINCIPAL app": ["crt"],
        "@class QUEUE PRINCIPAL bob": ["crt"],
        "@class QUEUE PRINCIPAL eve": ["crt"],
        "self QMGR PRINCIPAL qm": ["crt"],
    }
    for user in ("app", "bob", "eve", "qm"):
        assert "crt" in rights(rig, user, "ANY")
    assert rights(rig, "bob", "P", C.MQOT_PROCESS) == []
    assert rights(rig, "qm", "P", C.MQOT_PROCESS) == ["crt"]
    rig.set("app", Q, "X", remove=["CRT"])
    assert "crt" not in rights(rig, "app", "ANY")
    assert records(rig)["@class QUEUE PRINCIPAL app"] == []


REFUSALS = [
    ({"profile": "", "object_type": "QUEUE", "principals": ["app"], "add": ["PUT"]}, C.MQRCCF_PROFILE_NAME_MISSING),
    ({"profile": "A**B", "object_type": "QUEUE", "principals": ["app"], "add": ["PUT"]}, C.MQRCCF_PROFILE_NAME_ERROR),
    ({"profile": "A", "object_type": "QUEUE", "principals": ["app"]}, C.MQRCCF_AUTH_VALUE_MISSING),
    ({"profile": "A", "object_type": "QUEUE", "add": ["PUT"]}, C.MQRCCF_ENTITY_NAME_MISSING),
    ({"profile": "A", "object_type": "QUEUE", "principals": [""], "add": ["PUT"]}, C.MQRCCF_ENTITY_NAME_MISSING),
    ({"profile": "A", "object_type": "QUEUE", "principals": ["app"], "add": ["CONNECT"]}, C.MQRCCF_AUTH_VALUE_ERROR),
    ({"profile": "A", "object_type": "QUEUE", "principals": ["app"], "add": ["PUTT"]}, C.MQRCCF_AUTH_VALUE_ERROR),
    (
        {"profile": "A", "object_type": "QUEUE", "principals": ["app"], "add": ["PUT"], "remove": ["PUT"]},
        C.MQRCCF_AUTH_VALUE_ERROR,
    ),
    ({"profile": "@class", "object_type": "QUEUE", "principals": ["app"], "add": ["PUT"]}, C.MQRCCF_AUTH_VALUE_ERROR),
    ({"profile": "A", "object_type": "", "principals": ["app"], "add": ["PUT"]}, C.MQRCCF_OBJECT_TYPE_MISSING),
    ({"profile": "A", "object_type": "QLOCAL", "principals": ["app"], "add": ["PUT"]}, C.MQRC_OBJECT_TYPE_ERROR),
    ({"profile": "A", "object_type": "QUEUE", "groups": ["no.such.group"], "add": ["PUT"]}, C.MQRC_UNKNOWN_ENTITY),
    ({"profile": "A", "object_type": "QUEUE", "principals": ["a\nb"], "add": ["PUT"]}, C.MQRC_UNKNOWN_ENTITY),
    (
        {"profile": "A", "object_type": "QUEUE", "principals": ["app"], "add": ["PUT"], "must_exist": True},
        C.MQRC_UNKNOWN_OBJECT_NAME,
    ),
]


@pytest.mark.parametrize(("given_values", "reason"), REFUSALS)
def test_what_makes_no_sense_changes_nothing(rig: Rig, given_values: dict[str, object], reason: int) -> None:
    before = rig.state()
    refused(reason, object_authority.set_authority, rig.core, **given_values)
    assert rig.state() == before and records(rig) == {}


def test_unknown_users_need_a_policy(rig: Rig) -> None:
    rig.core.authorities.external_users = False
    detail = refused(C.MQRC_UNKNOWN_ENTITY, rig.set, "app", Q, "A", add=["PUT"])
    assert "'app'" in detail
    users_file.set_password(rig.files, "qm", "app", "secret")
    rig.set("app", Q, "A", add=["PUT"])
    users_file.remove_user(rig.files, "qm", "app")
    rig.set("app", Q, "A", remove=["PUT"])  # who has a record may lose it
    refused(C.MQRC_UNKNOWN_ENTITY, rig.set, "app", Q, "B", add=["PUT"])
    object_authority.delete_authority(rig.core, "A", Q, principals=["app"])
    assert records(rig) == {}


def test_delete_authority(rig: Rig) -> None:
    rig.set("app", Q, "A", add=["PUT"])
    rig.set("bob", Q, "A", add=["PUT"])
    refused(C.MQRC_UNKNOWN_OBJECT_NAME, object_authority.delete_authority, rig.core, "A", Q, principals=["app", "eve"])
    assert len(records(rig)) == 2
    object_authority.delete_authority(rig.core, "A", "queue", principals=["app"])
    assert set(records(rig)) == {"A QUEUE PRINCIPAL bob"}
    refused(C.MQRC_UNKNOWN_OBJECT_NAME, object_authority.delete_authority, rig.core, "A", Q, groups=["bob"])


def test_records_go_with_the_object(rig: Rig) -> None:
    for of, profile in ((Q, "TWO"), (Q, "TW*"), (C.MQOT_PROCESS, "TWO")):
        rig.set("app", of, profile, add=["INQ"])
    rig.qm.delete("QLOCAL", "TWO")
    assert set(records(rig)) == {"TW* QUEUE PRINCIPAL app", "TWO PROCESS PRINCIPAL app"}
    rig.set("app", Q, "ALIAS", add=["INQ"])
    rig.qm.delete("QALIAS", "ALIAS", keep_authorities=True)
    assert "ALIAS QUEUE PRINCIPAL app" in records(rig)
    refused(C.MQRC_UNKNOWN_OBJECT_NAME, rig.qm.delete, "QLOCAL", "NO.SUCH")


def test_a_deletion_that_is_refused_keeps_the_records(rig: Rig) -> None:
    rig.set("app", Q, "Q", add=["put"])
    hobj = rig.qm.open(rig.admin, MQOD(ObjectName="Q"), C.MQOO_INQUIRE)
    refused(C.MQRC_OBJECT_IN_USE, rig.qm.delete, "QLOCAL", "Q")
    assert records(rig) == {"Q QUEUE PRINCIPAL app": ["put"]}
    rig.qm.close(rig.admin, hobj)
    rig.qm.delete("QLOCAL", "Q")
    assert records(rig) == {}


USERS = 90  # so many that their records are written in several pieces


@pytest.mark.parametrize("name", ["Q", "PROC"])
def test_no_moment_leaves_records_of_an_object_that_is_gone(name: str) -> None:
    """Cut the power anywhere while the object is deleted: its records are never there without it."""
    kind, of = ("QLOCAL", Q) if name == "Q" else ("PROCESS", C.MQOT_PROCESS)
    rig = Rig()
    for number in range(USERS):
        rig.set(f"user{number}", of, name, add=["inq"])
    rig.core.log.force()
    rig.qm.checkpoint()
    base, rng = next(iter(rig.files.disk_states())), random.Random(1)
    seen: set[tuple[bool, int]] = set()
    for moment in itertools.count(1):
        files = base.copy()
        rig.files = files
        rig.start()
        files.crash_at = files.operations + moment
        cut = False
        try:
            rig.qm.delete(kind, name)
            rig.core.log.force()
        except PowerCut:
            cut = True
        for disk in files.disk_states(rng, 12):
            rig.files = disk
            rig.start()
            seen.add((rig.core.catalogue.find(kind, name) is not None, len(records(rig))))
        if not cut:
            break
    assert {(True, USERS), (False, 0)} <= seen
    assert not any(count for there, count in seen if not there)


# What records mean together


def test_each_entity_counts_with_its_most_specific_profile(rig: Rig) -> None:
    rig.set("app", Q, "**", add=["BROWSE"])
    rig.set("app", Q, "AB.*", add=["PUT"])
    rig.set("app", Q, "AB.C*", add=["GET"])
    for group, profile, word in (("mqm", "**", "INQ"), ("nobody", "AB.CD", "SET"), ("nobody", "AB.*", "DSP")):
        object_authority.set_authority(rig.core, profile, Q, groups=[group], add=[word])
    assert rights(rig, "app", "AB.CD") == ["get"]
    assert rights(rig, "app", "AB.XY") == ["put"]
    assert rights(rig, "app", "Z") == ["browse"]
    assert rights(rig, "app", "AB.CD", groups=("nobody",)) == ["get", "set"]
    assert rights(rig, "app", "AB.XY", groups=("mqm", "nobody")) == ["put", "inq", "dsp"]
    assert rights(rig, "stranger", "AB.XY", groups=("nobody",)) == ["dsp"]
    rig.set("app", Q, "AB.CD", add=["NONE"])
    assert rights(rig, "app", "AB.CD") == [] and rights(rig, "app", "AB.CE") == ["get"]


QUALIFIERS = st.lists(st.sampled_from(["A", "AB", "B", "?", "*", "A*", "**"]), min_size=1, max_size=3)
PROFILES = QUALIFIERS.filter(lambda parts: parts.count("**") <= 1).map(".".join)
ENTITIES = st.sampled_from([(PRINCIPAL, "app"), (PRINCIPAL, "bob"), (GROUP, "mqm"), (GROUP, "nobody")])
WORDS = st.sampled_from(["get", "put", "inq", "dsp", "none"])


@settings(max_examples=150)
@given(
    st.dictionaries(st.tuples(ENTITIES, PROFILES), st.sets(WORDS, min_size=1), max_size=8),
    st.lists(st.sampled_from(["A", "AB", "B"]), min_size=1, max_size=3).map(".".join),
    st.sets(st.sampled_from(["mqm", "nobody"])),
)
def test_rights_like_a_naive_reference(
    made: dict[tuple[tuple[int, str], str], set[str]], name: str, groups: set[str]
) -> None:
    rig = _shared()
    for record in list(rig.core.catalogue.authrecs.values()):
        object_changes.remove_record(rig.core, record.kind, record.name)
    for ((kind, entity), profile), given_words in made.items():
        who = {"principals": [entity]} if kind == PRINCIPAL else {"groups": [entity]}
        object_authority.set_authority(rig.core, profile, Q, add=sorted(given_words), **who)
    expected: set[str] = set()
    for entity_key in [(PRINCIPAL, "app"), *((GROUP, group) for group in groups)]:
        mine = {profile: given_words for (key, profile), given_words in made.items() if key == entity_key}
        winner = most_specific([profile for profile in mine if matches(profile, name)], name)
        expected |= mine[winner] - {"none"} if winner else set()
    assert set(rights(rig, "app", name, groups=tuple(groups))) == expected


_RIG: list[Rig] = []


def _shared() -> Rig:
    if not _RIG:
        _RIG.append(Rig())
    return _RIG[0]


# DISPLAY AUTHREC, DISPLAY ENTAUTH


def test_select_records(rig: Rig) -> None:
    users_file.set_password(rig.files, "qm", "app", "x")
    users_file.set_groups(rig.files, "qm", "app", ["orders"])
    for profile in ("AB.CD", "AB.*", "AB.C*", "**", "Z"):
        rig.set("app", Q, profile, add=["PUT"])
    object_authority.set_authority(rig.core, "AB.*", Q, groups=["orders"], add=["GET"])
    object_authority.set_authority(rig.core, "", QMGR, groups=["orders"], add=["CONNECT"])
    object_authority.set_authority(rig.core, "AB.*", C.MQOT_TOPIC, groups=["orders"], add=["PUB", "CRT"])

    def shown(**more: object) -> list[str]:
        return [record.name.removesuffix(" app") for record in object_authority.select_records(rig.core, **more)]  # type: ignore[arg-type]

    app, orders = (PRINCIPAL, "app"), (GROUP, "orders")
    assert len(shown()) == 9
    assert shown(profile="AB.CD", object_type="QUEUE", entity=app) == [
        "** QUEUE PRINCIPAL", "AB.* QUEUE PRINCIPAL", "AB.C* QUEUE PRINCIPAL", "AB.CD QUEUE PRINCIPAL",
    ]  # fmt: skip
    assert shown(profile="AB.CD", entity=app, match="EXACT") == ["AB.CD QUEUE PRINCIPAL"]
    assert shown(profile="AB.*", object_type=Q) == ["AB.* QUEUE PRINCIPAL", "AB.* QUEUE GROUP orders"]
    assert shown(profile="AB.X", entity=orders, object_type=Q) == ["AB.* QUEUE GROUP orders"]
    assert shown(profile="AB.X", entity=app, match="MEMBERSHIP", object_type=Q) == [
        "** QUEUE PRINCIPAL", "AB.* QUEUE PRINCIPAL", "AB.* QUEUE GROUP orders",
    ]  # fmt: skip
    for profile in ("", "QM1", "SELF"):
        assert shown(profile=profile, object_type="QMGR") == ["self QMGR GROUP orders"]
    assert shown(profile="OTHER", object_type="QMGR") == []
    assert shown(profile="@CLASS") == ["@class TOPIC GROUP orders"]
    assert shown(profile="Z*", match="WILDCARD") == ["Z QUEUE PRINCIPAL"]
    assert shown(entity=(PRINCIPAL, "bob")) == []
    refused(C.MQRCCF_ATTR_VALUE_ERROR, object_authority.select_records, rig.core, match="SOME")


def test_entity_authority(rig: Rig) -> None:
    users_file.set_password(rig.files, "qm", "app", "x")
    users_file.set_groups(rig.files, "qm", "app", ["orders"])
    rig.set("app", Q, "A.*", add=["PUT", "CRT"])
    object_authority.set_authority(rig.core, "A.B", Q, groups=["orders"], add=["GET"])

    def shown(kind: int, entity: str, of: str, name: str = "") -> list[str]:
        return words(object_authority.entity_authority(rig.core, kind, entity, of, name))

    assert shown(PRINCIPAL, "app", "QUEUE", "A.B") == ["get", "put", "crt"]
    assert shown(PRINCIPAL, "app", "QUEUE", "A.C") == ["put", "crt"]
    assert shown(GROUP, "orders", "QUEUE", "A.B") == ["get"]
    assert shown(GROUP, "orders", "QMGR") == []
    assert shown(GROUP, "mqm", "QUEUE", "A.B") == words(APPLICABLE[Q])
    rig.core.authorities.administrators = frozenset({"boss"})
    assert shown(PRINCIPAL, "boss", "QMGR") == words(APPLICABLE[QMGR])
    rig.core.authorities.external_users = False
    refused(C.MQRC_UNKNOWN_ENTITY, shown, PRINCIPAL, "stranger", "QUEUE", "A")
    refused(C.MQRCCF_PROFILE_NAME_MISSING, shown, PRINCIPAL, "app", "QUEUE")


# Commands


def test_check_command(rig: Rig) -> None:
    rig.set("app", Q, "A.**", add=["CHG", "DSP"])
    rig.set("app", Q, "@class", add=["CRT"])
    issuer = Issuer("app", frozenset())
    object_authority.check_command(rig.core, issuer, Q, "A.B", C.MQAUTH_CHANGE, C.MQAUTH_DISPLAY)
    object_authority.check_command(rig.core, issuer, Q, "NEW", C.MQAUTH_CREATE)
    detail = refused(C.MQRC_NOT_AUTHORIZED, object_authority.check_command, rig.core, issuer, Q, "A.B", C.MQAUTH_DELETE)
    assert "'app' lacks dlt on queue A.B" in detail
    refused(
        C.MQRC_NOT_AUTHORIZED, object_authority.check_command, rig.core, issuer, C.MQOT_CHANNEL, "NEW", C.MQAUTH_CREATE
    )
    refused(C.MQRC_NOT_AUTHORIZED, object_authority.check_command, rig.core, issuer, QMGR, "", C.MQAUTH_CHANGE)
    object_authority.check_command(rig.core, Issuer("boss", frozenset(), True), QMGR, "", C.MQAUTH_CHANGE)
    assert object_authority.allowed(rig.core, issuer, Q, "A.B", bit(C.MQAUTH_DISPLAY))
    assert not object_authority.allowed(rig.core, issuer, Q, "B", bit(C.MQAUTH_DISPLAY))
    assert len(rig.said) == 3


def test_what_is_missing_is_said(rig: Rig) -> None:
    rig.set("app", QMGR, "", add=["connect"])
    hconn = rig.connect()
    rig.set("app", Q, "Q", add=["put"])
    detail = refused(C.MQRC_NOT_AUTHORIZED, rig.qm.open, hconn, MQOD(ObjectName="Q"), C.MQOO_OUTPUT | C.MQOO_BROWSE)
    assert "user 'app' lacks browse on queue Q" in detail and "AUTHADD(BROWSE)" in detail
    assert rig.said[-1].startswith("AMQ8077W: ") and "'app'" in rig.said[-1] and "browse" in rig.said[-1]
    rig.set("app", Q, "MODEL", add=["put"])
    refused(C.MQRC_NOT_AUTHORIZED, rig.qm.open, hconn, MQOD(ObjectName="MODEL"), C.MQOO_OUTPUT)
    assert rig.said[-1].startswith("AMQ8245W: ") and "MODEL" in rig.said[-1]


def test_an_event_tells_of_it_where_that_is_wanted(rig: Rig) -> None:
    rig.set("app", QMGR, "", add=["connect"])
    hconn = rig.connect()
    depth = rig.qm.depth("SYSTEM.ADMIN.QMGR.EVENT")
    refused(C.MQRC_NOT_AUTHORIZED, rig.qm.open, hconn, MQOD(ObjectName="Q"), C.MQOO_OUTPUT)
    assert rig.qm.depth("SYSTEM.ADMIN.QMGR.EVENT") == depth
    rig.qm.alter("QMGR", "", {"authorev": "enabled"})
    refused(C.MQRC_NOT_AUTHORIZED, rig.qm.open, hconn, MQOD(ObjectName="Q"), C.MQOO_OUTPUT)
    refused(C.MQRC_NOT_AUTHORIZED, rig.qm.connect, "eve", "program", privileged=False)
    assert rig.qm.depth("SYSTEM.ADMIN.QMGR.EVENT") == depth + 2


# Dynamic queues


def test_the_maker_of_a_permanent_queue_keeps_it_over_a_restart(rig: Rig) -> None:
    rig.set("app", QMGR, "", add=["connect"])
    rig.set("app", Q, "MODEL.KEPT", add=["put", "dsp"])
    od = MQOD(ObjectName="MODEL.KEPT", DynamicQName="MINE.*")
    hconn = rig.connect()
    rig.qm.open(hconn, od, C.MQOO_OUTPUT)
    rig.core.log.force()
    rig.crash()
    hconn = rig.connect()
    hobj = rig.qm.open(hconn, MQOD(ObjectName=od.ObjectName), C.MQOO_INPUT_SHARED)
    rig.qm.close(hconn, hobj, C.MQCO_DELETE)
    assert od.ObjectName not in "".join(records(rig))
    assert rig.core.catalogue.find_queue(od.ObjectName) is None


def test_a_temporary_queue_is_its_makers_only(rig: Rig) -> None:
    for user in ("app", "bob"):
        rig.set(user, QMGR, "", add=["connect"])
        rig.set(user, Q, "MODEL", add=["put", "dsp"])
    od = MQOD(ObjectName="MODEL", DynamicQName="TEMP")
    app, bob = rig.connect(), rig.connect("bob")
    rig.qm.open(app, od, C.MQOO_OUTPUT)
    refused(C.MQRC_NOT_AUTHORIZED, rig.qm.open, bob, MQOD(ObjectName="TEMP"), C.MQOO_OUTPUT)
    rig.set("bob", Q, "TEMP", add=["put"])
    rig.qm.close(bob, rig.qm.open(bob, MQOD(ObjectName="TEMP"), C.MQOO_OUTPUT))
    rig.qm.close(app, rig.qm.open(app, MQOD(ObjectName="TEMP"), C.MQOO_INPUT_SHARED))
    rig.qm.disconnect(app)
    # Another queue of the same name is not the earlier maker's
    rig.qm.define("QLOCAL", "TEMP", {})
    refused(C.MQRC_NOT_AUTHORIZED, rig.qm.open, rig.connect(), MQOD(ObjectName="TEMP"), C.MQOO_OUTPUT)


# Memory and log


def test_records_survive_a_kill(rig: Rig) -> None:
    rng = random.Random(6)
    for number in range(40):
        profile = rng.choice(["A", "B.*", "**", "C.**"])
        rig.set(f"u{number % 7}", Q, profile, add=[rng.choice(["put", "get", "crt"])], remove=["inq"])
        if number % 9 == 0:
            rig.core.log.force()
    rig.core.log.force()
    before = records(rig)
    rig.crash()
    assert records(rig) == before and len(before) > 10
    rig.qm.checkpoint()
    rig.crash()
    assert records(rig) == before
    rig.set("u1", Q, "LAST", add=["put"])
    object_authority.delete_authority(rig.core, "LAST", Q, principals=["u1"])
    rig.core.log.force()
    rig.crash()
    assert records(rig) == before


def test_a_change_counts_for_the_next_open(rig: Rig) -> None:
    rig.set("app", QMGR, "", add=["connect"])
    hconn = rig.connect()
    od = MQOD(ObjectName="Q")
    refused(C.MQRC_NOT_AUTHORIZED, rig.qm.open, hconn, od, C.MQOO_OUTPUT)
    rig.set("app", Q, "**", add=["put"])
    hobj = rig.qm.open(hconn, od, C.MQOO_OUTPUT)
    rig.set("app", Q, "Q", add=["none"])
    refused(C.MQRC_NOT_AUTHORIZED, rig.qm.open, hconn, od, C.MQOO_OUTPUT)
    object_authority.delete_authority(rig.core, "Q", Q, principals=["app"])
    rig.qm.close(hconn, rig.qm.open(hconn, od, C.MQOO_OUTPUT))
    rig.qm.close(hconn, hobj)


def test_groups_are_looked_at_again_by_a_refresh(rig: Rig) -> None:
    users_file.set_password(rig.files, "qm", "app", "x")
    users_file.set_groups(rig.files, "qm", "app", ["orders"])
    object_authority.set_authority(rig.core, "", QMGR, groups=["orders"], add=["connect"])
    object_authority.set_authority(rig.core, "Q", Q, groups=["orders"], add=["put"])
    hconn, fixed = rig.connect(), rig.connect(groups=frozenset({"orders"}))
    rig.qm.close(hconn, rig.qm.open(hconn, MQOD(ObjectName="Q"), C.MQOO_OUTPUT))
    users_file.set_groups(rig.files, "qm", "app", ["billing"])
    rig.qm.close(hconn, rig.qm.open(hconn, MQOD(ObjectName="Q"), C.MQOO_OUTPUT))
    object_authority.refresh(rig.core)
    refused(C.MQRC_NOT_AUTHORIZED, rig.qm.open, hconn, MQOD(ObjectName="Q"), C.MQOO_OUTPUT)
    rig.qm.close(fixed, rig.qm.open(fixed, MQOD(ObjectName="Q"), C.MQOO_OUTPUT))
    refused(C.MQRC_NOT_AUTHORIZED, rig.connect)


@pytest.mark.parametrize("loss", ["the authority", "the record", "the group", "the administration"])
@pytest.mark.parametrize("name", ["Q", "ALIAS"])
def test_a_put1_like_one_before_is_asked_about_when_authorities_have_changed(rig: Rig, name: str, loss: str) -> None:
    users_file.set_password(rig.files, "qm", "app", "x")
    users_file.set_groups(rig.files, "qm", "app", ["orders"])
    object_authority.set_authority(rig.core, "", QMGR, groups=["orders"], add=["connect"])
    if loss == "the administration":
        rig.core.authorities.administrators = frozenset({"app"})
        hconn = rig.qm.connect("app", privilege_of="app")
    else:
        given = {"groups": ["orders"]} if loss == "the group" else {"principals": ["app"]}
        object_authority.set_authority(rig.core, name, Q, add=["put"], **given)
        hconn = rig.connect()

    def put1() -> PutForm | None:
        pmo = MQPMO(Version=3, Options=C.MQPMO_NO_SYNCPOINT)
        return rig.qm.put1_and_form(hconn, MQOD(ObjectName=name), MQMD(Version=2), pmo, b"data")[1]

    form = put1()
    assert form is not None and rig.qm.put_like(form, bytes(48), b"again")
    if loss == "the authority":
        rig.set("app", Q, name, remove=["put"])
    elif loss == "the record":
        object_authority.delete_authority(rig.core, name, Q, principals=["app"])
    elif loss == "the group":
        users_file.set_groups(rig.files, "qm", "app", ["billing"])
        object_authority.refresh(rig.core)
    else:
        rig.core.authorities.administrators = frozenset()
        object_authority.refresh(rig.core)
    assert rig.qm.put_like(form, bytes(48), b"not allowed any more") is None
    refused(C.MQRC_NOT_AUTHORIZED, put1)


def test_an_alternate_user_that_administers_may_do_everything(rig: Rig) -> None:
    rig.set("app", QMGR, "", add=["connect", "altusr"])
    rig.core.authorities.administrators = frozenset({"boss"})
    hconn = rig.connect()
    od = MQOD(ObjectName="Q", AlternateUserId="boss")
    rig.qm.close(hconn, rig.qm.open(hconn, od, C.MQOO_OUTPUT | C.MQOO_ALTERNATE_USER_AUTHORITY))
    refused(C.MQRC_NOT_AUTHORIZED, rig.qm.open, hconn, od, C.MQOO_OUTPUT)
