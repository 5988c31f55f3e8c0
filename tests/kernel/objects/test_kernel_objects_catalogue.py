"""Defining, altering and deleting objects, dynamic queues, system objects, and records."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helper_qmgr import Session
from hypothesis import given
from hypothesis import strategies as st

from libremq.kernel.objects import catalogue as catalogue_module
from libremq.kernel.objects.attribute_tables import TABLES
from libremq.kernel.objects.attributes import Kind
from libremq.kernel.objects.catalogue import DEFAULT_OBJECTS, Catalogue, RecordError, from_record, to_record
from libremq.kernel.objects.object_types import (
    AliasQueue,
    LocalQueue,
    ModelQueue,
    MQObject,
    Namelist,
    Process,
    RemoteQueue,
    from_model,
)
from libremq.kernel.objects.system_objects import SYSTEM_OBJECTS, SYSTEM_RULES, create_system_objects
from libremq.mqi import constants as mq
from libremq.mqi.errors import MQError

T0 = 1_700_000_000.0  # 2023-11-14 22:13:20 UTC
T1 = T0 + 86_400 + 61


@pytest.fixture
def catalogue() -> Catalogue:
    made = Catalogue("QM1", T0)
    create_system_objects(made, T0)
    return made


def local(catalogue: Catalogue, name: str) -> LocalQueue:
    found = catalogue.find_queue(name)
    assert isinstance(found, LocalQueue)
    return found


def state(catalogue: Catalogue) -> list[dict[str, Any]]:
    return [to_record(made) for made in catalogue]


def refused(reason: int, catalogue: Catalogue, verb: str, *args: Any, **options: Any) -> MQError:
    """The verb fails with this reason and changes nothing."""
    before = state(catalogue)
    with pytest.raises(MQError) as error:
        getattr(catalogue, verb)(*args, **options)
    assert error.value.reason == reason
    assert error.value.comp_code == mq.MQCC_FAILED
    assert state(catalogue) == before
    return error.value


def test_a_new_catalogue_has_its_queue_manager() -> None:
    catalogue = Catalogue("QM.a", T0)
    qmgr = catalogue.qmgr
    assert (qmgr.name, qmgr.qmname) == ("QM.a", "QM.a")
    assert qmgr.qmid == "QM.a_2023-11-14_22.13.20"
    assert qmgr.certlabl == "ibmwebspheremqqm.a"
    assert (qmgr.deadq, qmgr.defxmitq, qmgr.maxmsgl, qmgr.trigint) == ("", "", 4194304, 999999999)
    assert list(catalogue) == [qmgr]
    assert len(Catalogue("Q" * 48, T0).qmgr.qmid) == 48


def test_a_bad_queue_manager_name() -> None:
    with pytest.raises(MQError) as error:
        Catalogue("QM 1", T0)
    assert error.value.reason == mq.MQRC_Q_MGR_NAME_ERROR


def test_define_gives_each_type_its_class(catalogue: Catalogue) -> None:
    assert type(catalogue.define("QLOCAL", "L", {}, now=T0)) is LocalQueue
    assert type(catalogue.define("qmodel", "M", {}, now=T0)) is ModelQueue
    alias = catalogue.define("QALIAS", "A", {"TARGQ": "L"}, now=T0)
    assert isinstance(alias, AliasQueue)
    assert (alias.targq, alias.target, alias.qtype) == ("L", "L", mq.MQQT_ALIAS)
    remote = catalogue.define("QREMOTE", "R", {"RNAME": "X", "RQMNAME": "QM2", "XMITQ": "T"}, now=T0)
    assert isinstance(remote, RemoteQueue)
    assert (remote.rname, remote.rqmname, remote.xmitq) == ("X", "QM2", "T")
    assert type(catalogue.define("PROCESS", "L", {}, now=T0)) is Process
    names = catalogue.define("NAMELIST", "L", {"NAMES": ["A", "B"]}, now=T0)
    assert isinstance(names, Namelist)
    assert (names.names, names.namcount) == (("A", "B"), 2)


def test_define_sets_dates(catalogue: Catalogue) -> None:
    queue = catalogue.define("QLOCAL", "Q", {}, now=T1)
    assert isinstance(queue, LocalQueue)
    assert (queue.crdate, queue.crtime) == ("2023-11-15", "22.14.21")
    assert (queue.altdate, queue.alttime) == ("2023-11-15", "22.14.21")
    # Alias queues have no date of creation.
    assert not hasattr(catalogue.define("QALIAS", "A", {}, now=T1), "crdate")


def test_attributes_not_given_come_from_the_default_object_as_it_is_now(catalogue: Catalogue) -> None:
    catalogue.alter("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE", {"MAXDEPTH": 77, "DESCR": "from default"}, now=T0)
    catalogue.define("QLOCAL", "Q", {"MAXMSGL": 10}, now=T0)
    queue = local(catalogue, "Q")
    assert (queue.maxdepth, queue.descr, queue.maxmsgl, queue.defprty) == (77, "from default", 10, 0)


def test_the_supplied_defaults_stand_in_for_a_deleted_default_object(catalogue: Catalogue) -> None:
    catalogue.delete("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE")
    catalogue.define("QLOCAL", "Q", {}, now=T0)
    assert local(catalogue, "Q").maxdepth == 5000


def test_like_copies_the_definition_only(catalogue: Catalogue) -> None:
    model = catalogue.find("QMODEL", "SYSTEM.DEFAULT.MODEL.QUEUE")
    assert isinstance(model, ModelQueue)
    catalogue.add_dynamic(from_model(model, "DYN", T0))
    catalogue.alter("QLOCAL", "DYN", {"MAXDEPTH": 9, "DESCR": "d"}, now=T0)
    catalogue.define("QLOCAL", "Q", {"DESCR": "own"}, like="DYN", now=T1)
    queue = local(catalogue, "Q")
    assert (queue.maxdepth, queue.descr, queue.share) == (9, "own", mq.MQQA_NOT_SHAREABLE)
    assert queue.deftype == mq.MQQDT_PREDEFINED
    assert queue.crdate == "2023-11-15"


def test_like_must_exist_and_be_of_the_type(catalogue: Catalogue) -> None:
    error = refused(mq.MQRC_UNKNOWN_OBJECT_NAME, catalogue, "define", "QLOCAL", "Q", {}, like="NOPE", now=T0)
    assert error.object_name == "NOPE"
    catalogue.define("QALIAS", "A", {}, now=T0)
    refused(mq.MQRCCF_LIKE_OBJECT_WRONG_TYPE, catalogue, "define", "QLOCAL", "Q", {}, like="A", now=T0)


def test_queues_of_all_types_share_their_names(catalogue: Catalogue) -> None:
    catalogue.define("QLOCAL", "X", {}, now=T0)
    for kind in ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL"):
        refused(mq.MQRCCF_OBJECT_ALREADY_EXISTS, catalogue, "define", kind, "X", {}, now=T0)
    catalogue.define("PROCESS", "X", {}, now=T0)
    catalogue.define("NAMELIST", "X", {}, now=T0)


def test_names_differ_by_case(catalogue: Catalogue) -> None:
    catalogue.define("QLOCAL", "abc", {}, now=T0)
    catalogue.define("QLOCAL", "ABC", {}, now=T0)
    assert catalogue.find_queue("abc") is not catalogue.find_queue("ABC")


def test_replace_sets_all_attributes_and_keeps_the_object(catalogue: Catalogue) -> None:
    queue = catalogue.define("QLOCAL", "Q", {"MAXDEPTH": 5, "PUT": "DISABLED"}, now=T0)
    catalogue.alter("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE", {"BOTHRESH": 3}, now=T0)
    again = catalogue.define("QLOCAL", "Q", {"MAXDEPTH": 6}, replace=True, now=T1)
    assert again is queue  # whoever holds the queue, with its messages, sees the new definition
    assert isinstance(queue, LocalQueue)
    assert (queue.maxdepth, queue.put, queue.bothresh) == (6, mq.MQQA_PUT_ALLOWED, 3)
    assert (queue.crdate, queue.altdate) == ("2023-11-14", "2023-11-15")


def test_replace_like_another(catalogue: Catalogue) -> None:
    catalogue.define("QLOCAL", "Q", {"MAXDEPTH": 5, "PUT": "DISABLED"}, now=T0)
    catalogue.define("QLOCAL", "P", {"MAXDEPTH": 7, "GET": "DISABLED"}, now=T0)
    catalogue.define("QLOCAL", "Q", {}, like="P", replace=True, now=T1)
    queue = local(catalogue, "Q")
    assert (queue.maxdepth, queue.put, queue.get) == (7, mq.MQQA_PUT_ALLOWED, mq.MQQA_GET_INHIBITED)
    catalogue.alter("QLOCAL", "Q", {"DESCR": "self"}, now=T1)
    catalogue.define("QLOCAL", "Q", {"MAXDEPTH": 8}, like="Q", replace=True, now=T1)
    assert (queue.maxdepth, queue.descr) == (8, "self")


def test_replace_does_not_change_the_type(catalogue: Catalogue) -> None:
    catalogue.define("QLOCAL", "Q", {}, now=T0)
    refused(mq.MQRCCF_OBJECT_WRONG_TYPE, catalogue, "define", "QALIAS", "Q", {}, replace=True, now=T1)


def test_replace_of_a_dynamic_queue_leaves_it_dynamic(catalogue: Catalogue) -> None:
    model = catalogue.find("QMODEL", "SYSTEM.DEFAULT.MODEL.QUEUE")
    assert isinstance(model, ModelQueue)
    queue = catalogue.add_dynamic(from_model(model, "DYN", T0))
    catalogue.define("QLOCAL", "DYN", {}, replace=True, now=T1)
    assert queue.deftype == mq.MQQDT_TEMPORARY_DYNAMIC


def test_alter_keeps_what_is_not_given(catalogue: Catalogue) -> None:
    queue = catalogue.define("QLOCAL", "Q", {"MAXDEPTH": 5, "PUT": "DISABLED"}, now=T0)
    assert catalogue.alter("QLOCAL", "Q", {"MAXDEPTH": 6}, now=T1) is queue
    assert isinstance(queue, LocalQueue)
    assert (queue.maxdepth, queue.put) == (6, mq.MQQA_PUT_INHIBITED)
    assert (queue.crdate, queue.altdate) == ("2023-11-14", "2023-11-15")


def test_alter_the_queue_manager(catalogue: Catalogue) -> None:
    catalogue.alter("QMGR", "", {"DEADQ": "DLQ", "MAXUMSGS": 5}, now=T1)
    catalogue.alter("QMGR", "QM1", {"TRIGINT": 0}, now=T1)
    qmgr = catalogue.qmgr
    assert (qmgr.deadq, qmgr.maxumsgs, qmgr.trigint, qmgr.altdate) == ("DLQ", 5, 0, "2023-11-15")
    refused(mq.MQRC_UNKNOWN_OBJECT_NAME, catalogue, "alter", "QMGR", "QM2", {"DEADQ": "DLQ"}, now=T1)
    refused(mq.MQRCCF_ATTR_VALUE_ERROR, catalogue, "alter", "QMGR", "", {"MAXMSGL": 32767}, now=T1)
    refused(mq.MQRCCF_ATTR_VALUE_FIXED, catalogue, "alter", "QMGR", "", {"QMNAME": "QM2"}, now=T1)


def test_one_bad_attribute_changes_nothing(catalogue: Catalogue) -> None:
    catalogue.define("QLOCAL", "Q", {}, now=T0)
    mixed = {"MAXDEPTH": 1, "DESCR": "new", "DEFPRTY": 10}
    error = refused(mq.MQRCCF_ATTR_VALUE_ERROR, catalogue, "alter", "QLOCAL", "Q", mixed, now=T1)
    assert "DEFPRTY(10)" in error.detail and "0 to 9" in error.detail
    refused(mq.MQRCCF_ATTR_VALUE_ERROR, catalogue, "define", "QLOCAL", "Q", mixed, replace=True, now=T1)
    refused(mq.MQRCCF_ATTR_VALUE_ERROR, catalogue, "define", "QLOCAL", "NEW", mixed, now=T1)


@pytest.mark.parametrize(
    ("kind", "attributes", "reason"),
    [
        ("QLOCAL", {"TARGQ": "X"}, mq.MQRCCF_CFIN_PARM_ID_ERROR),
        ("QALIAS", {"MAXDEPTH": 1}, mq.MQRCCF_CFIN_PARM_ID_ERROR),
        ("QLOCAL", {"NO.SUCH": 1}, mq.MQRCCF_CFIN_PARM_ID_ERROR),
        ("QLOCAL", {"CURDEPTH": 1}, mq.MQRCCF_ATTR_VALUE_FIXED),
        ("QLOCAL", {"DEFTYPE": "TEMPDYN"}, mq.MQRCCF_ATTR_VALUE_FIXED),
        ("QLOCAL", {"CRDATE": "2000-01-01"}, mq.MQRCCF_ATTR_VALUE_FIXED),
        ("QMODEL", {"DEFTYPE": "PREDEFINED"}, mq.MQRCCF_ATTR_VALUE_ERROR),
        ("NAMELIST", {"NAMCOUNT": 1}, mq.MQRCCF_ATTR_VALUE_FIXED),
        ("QALIAS", {"TARGET": "A", "TARGQ": "B"}, mq.MQRCCF_CFST_DUPLICATE_PARM),
        ("QLOCAL", {"MAXDEPTH": 1, "maxdepth": 2}, mq.MQRCCF_CFIN_DUPLICATE_PARM),
        ("QLOCAL", {"CLUSTER": "C", "CLUSNL": "N"}, mq.MQRCCF_CLUSTER_NAME_CONFLICT),
        ("QLOCAL", {"CLUSTER": "C", "USAGE": "XMITQ"}, mq.MQRCCF_CLUSTER_Q_USAGE_ERROR),
        ("QLOCAL", {"CLCHNAME": "TO.*"}, mq.MQRCCF_CLUS_XMIT_Q_USAGE_ERROR),
        ("QREMOTE", {"SCOPE": "CELL"}, mq.MQRCCF_CELL_DIR_NOT_AVAILABLE),
    ],
)
def test_attributes_that_are_refused(catalogue: Catalogue, kind: str, attributes: dict[str, Any], reason: int) -> None:
    refused(reason, catalogue, "define", kind, "X", attributes, now=T0)


def test_attributes_must_go_with_those_already_there(catalogue: Catalogue) -> None:
    catalogue.define("QLOCAL", "Q", {"CLUSTER": "C"}, now=T0)
    refused(mq.MQRCCF_CLUSTER_NAME_CONFLICT, catalogue, "alter", "QLOCAL", "Q", {"CLUSNL": "N"}, now=T1)
    catalogue.alter("QLOCAL", "Q", {"CLUSNL": "N", "CLUSTER": ""}, now=T1)
    catalogue.alter("QMGR", "", {"REPOS": "C"}, now=T1)
    refused(mq.MQRCCF_REPOS_NAME_CONFLICT, catalogue, "alter", "QMGR", "", {"REPOSNL": "N"}, now=T1)
    cluster_queue = {"DEFXMITQ": "SYSTEM.CLUSTER.TRANSMIT.QUEUE"}
    refused(mq.MQRCCF_DEF_XMIT_Q_CLUS_ERROR, catalogue, "alter", "QMGR", "", cluster_queue, now=T1)


@pytest.mark.parametrize("name", ["", "A B", "A*", "X" * 49])
def test_bad_names(catalogue: Catalogue, name: str) -> None:
    refused(mq.MQRCCF_OBJECT_NAME_ERROR, catalogue, "define", "QLOCAL", name, {}, now=T0)


def test_unknown_objects_and_wrong_types(catalogue: Catalogue) -> None:
    catalogue.define("QALIAS", "A", {}, now=T0)
    refused(mq.MQRC_UNKNOWN_OBJECT_NAME, catalogue, "alter", "QLOCAL", "NOPE", {"MAXDEPTH": 1}, now=T0)
    refused(mq.MQRC_UNKNOWN_OBJECT_NAME, catalogue, "delete", "PROCESS", "NOPE")
    refused(mq.MQRCCF_OBJECT_WRONG_TYPE, catalogue, "alter", "QLOCAL", "A", {"MAXDEPTH": 1}, now=T0)
    refused(mq.MQRCCF_OBJECT_WRONG_TYPE, catalogue, "delete", "QLOCAL", "A")
    refused(mq.MQRC_OBJECT_TYPE_ERROR, catalogue, "define", "SUB", "C", {}, now=T0)
    refused(mq.MQRC_OBJECT_TYPE_ERROR, catalogue, "define", "QMGR", "QM2", {}, now=T0)
    refused(mq.MQRC_OBJECT_TYPE_ERROR, catalogue, "delete", "QMGR", "QM1")
    refused(mq.MQRC_OBJECT_TYPE_ERROR, catalogue, "find", "SUB", "C")


def test_delete_frees_the_name(catalogue: Catalogue) -> None:
    queue = catalogue.define("QLOCAL", "Q", {}, now=T0)
    assert catalogue.delete("QLOCAL", "Q") is queue
    assert catalogue.find_queue("Q") is None
    catalogue.define("QALIAS", "Q", {}, now=T0)


def test_find_and_select(catalogue: Catalogue) -> None:
    catalogue.define("QLOCAL", "MY.B", {}, now=T0)
    catalogue.define("QALIAS", "MY.A", {}, now=T0)
    catalogue.define("PROCESS", "MY.P", {}, now=T0)
    assert catalogue.find("QUEUE", "MY.A") is catalogue.find("qalias", "MY.A") is catalogue.find_queue("MY.A")
    assert catalogue.find("QLOCAL", "MY.A") is None
    assert catalogue.find("QMGR", "") is catalogue.find("QMGR", "QM1") is catalogue.qmgr
    assert catalogue.find("QMGR", "QM2") is None
    assert [one.name for one in catalogue.select("QUEUE", "MY.*")] == ["MY.A", "MY.B"]
    assert [one.name for one in catalogue.select("QLOCAL", "MY.*")] == ["MY.B"]
    assert [one.name for one in catalogue.select("PROCESS")] == ["MY.P", "SYSTEM.DEFAULT.PROCESS"]
    assert catalogue.select("QMGR") == [catalogue.qmgr]
    assert len(catalogue) == len(list(catalogue)) == 1 + len(SYSTEM_OBJECTS) + len(SYSTEM_RULES) + 3


@pytest.mark.parametrize("deftype", ["TEMPDYN", "PERMDYN"])
def test_a_dynamic_queue_takes_after_its_model(catalogue: Catalogue, deftype: str) -> None:
    attributes: dict[str, Any] = {"DEFTYPE": deftype, "MAXDEPTH": 3, "DEFPSIST": "YES", "DESCR": "d", "TRIGDATA": "t"}
    model = catalogue.define("QMODEL", "M", attributes, now=T0)
    assert isinstance(model, ModelQueue)
    queue = catalogue.add_dynamic(from_model(model, "AMQ.1", T1))
    assert catalogue.find_queue("AMQ.1") is queue
    assert (queue.kind, queue.qtype) == ("QLOCAL", mq.MQQT_LOCAL)
    assert (queue.maxdepth, queue.defpsist, queue.descr, queue.trigdata) == (3, mq.MQPER_PERSISTENT, "d", "t")
    assert queue.is_dynamic
    assert queue.is_temporary is (deftype == "TEMPDYN")
    assert queue.is_permanent_dynamic is (deftype == "PERMDYN")
    assert (queue.crdate, queue.altdate) == ("2023-11-15", "2023-11-15")
    assert set(queue.__dict__) == set(LocalQueue.table.defaults) | {"name"}
    # It lives its own life.
    catalogue.alter("QLOCAL", "AMQ.1", {"MAXDEPTH": 4}, now=T1)
    assert model.maxdepth == 3


def test_a_dynamic_queue_is_in_no_cluster_whatever_the_default_queue_says(catalogue: Catalogue) -> None:
    catalogue.alter("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE", {"CLUSTER": "C"}, now=T0)
    model = catalogue.find("QMODEL", "SYSTEM.DEFAULT.MODEL.QUEUE")
    assert isinstance(model, ModelQueue)
    assert from_model(model, "DYN", T0).cluster == ""


def test_a_dynamic_queue_needs_a_free_name(catalogue: Catalogue) -> None:
    model = catalogue.find("QMODEL", "SYSTEM.DEFAULT.MODEL.QUEUE")
    assert isinstance(model, ModelQueue)
    queue = from_model(model, "SYSTEM.DEFAULT.PROCESS", T0)
    catalogue.add_dynamic(queue)
    refused(mq.MQRC_OBJECT_ALREADY_EXISTS, catalogue, "add_dynamic", queue)


# System objects


def test_system_objects(catalogue: Catalogue) -> None:
    for kind, name, _ in SYSTEM_OBJECTS:
        assert catalogue.find(kind, name) is not None
    for kind, name in DEFAULT_OBJECTS.items():
        found = catalogue.find(kind, name)
        assert found is not None
        stamped = {"altdate", "alttime", "crdate", "crtime"}
        expected = {slot: value for slot, value in TABLES[kind].defaults.items() if slot not in stamped}
        assert {slot: found.__dict__[slot] for slot in expected} == expected
    transmit = local(catalogue, "SYSTEM.CLUSTER.TRANSMIT.QUEUE")
    assert transmit.is_transmission_queue
    assert (transmit.maxmsgl, transmit.crdate) == (104857600, "2023-11-14")
    assert local(catalogue, "SYSTEM.ADMIN.COMMAND.QUEUE").maxdepth == 3000


def test_system_objects_are_not_shared_between_queue_managers(catalogue: Catalogue) -> None:
    other = Catalogue("QM2", T1)
    create_system_objects(other, T1)
    other.alter("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE", {"MAXDEPTH": 1}, now=T1)
    third = Catalogue("QM3", T0)
    create_system_objects(third, T0)
    for one in (catalogue, third):
        assert local(one, "SYSTEM.DEFAULT.LOCAL.QUEUE").maxdepth == 5000


def test_making_system_objects_again_restores_their_definitions(catalogue: Catalogue) -> None:
    queue = local(catalogue, "SYSTEM.DEFAULT.LOCAL.QUEUE")
    catalogue.alter("QLOCAL", queue.name, {"MAXDEPTH": 1}, now=T0)
    catalogue.delete("PROCESS", "SYSTEM.DEFAULT.PROCESS")
    create_system_objects(catalogue, T1)
    assert local(catalogue, queue.name) is queue
    assert (queue.maxdepth, queue.crdate, queue.altdate) == (5000, "2023-11-14", "2023-11-15")
    assert catalogue.find("PROCESS", "SYSTEM.DEFAULT.PROCESS") is not None


def test_system_objects_do_not_replace_another_type(catalogue: Catalogue) -> None:
    catalogue.delete("QLOCAL", "SYSTEM.DEAD.LETTER.QUEUE")
    catalogue.define("QALIAS", "SYSTEM.DEAD.LETTER.QUEUE", {}, now=T0)
    catalogue.alter("QLOCAL", "SYSTEM.DEFAULT.LOCAL.QUEUE", {"MAXDEPTH": 1}, now=T0)
    before = state(catalogue)
    with pytest.raises(MQError) as error:
        create_system_objects(catalogue, T1)
    assert error.value.reason == mq.MQRCCF_OBJECT_WRONG_TYPE
    assert state(catalogue) == before


# Records


def test_records_survive_json(catalogue: Catalogue) -> None:
    catalogue.define("NAMELIST", "N", {"NAMES": "A,B"}, now=T0)
    again = Catalogue("QM1", 0.0)
    for record in json.loads(json.dumps(state(catalogue))):
        again.install(from_record(record))
    assert state(again) == state(catalogue)
    assert [type(one) for one in again] == [type(one) for one in catalogue]
    names = again.find("NAMELIST", "N")
    assert isinstance(names, Namelist)
    assert names.names == ("A", "B")


def test_install_keeps_the_object_that_is_there(catalogue: Catalogue) -> None:
    queue = local(catalogue, "SYSTEM.DEAD.LETTER.QUEUE")
    record = to_record(queue)
    record["attributes"]["MAXDEPTH"] = 1
    assert catalogue.install(from_record(record)) is queue
    assert queue.maxdepth == 1
    record = to_record(catalogue.define("QALIAS", "A", {}, now=T0))
    record["name"] = queue.name
    assert catalogue.install(from_record(record)) is not queue
    assert isinstance(catalogue.find_queue(queue.name), AliasQueue)


def test_a_record_from_an_earlier_release_gets_defaults(catalogue: Catalogue) -> None:
    record = to_record(local(catalogue, "SYSTEM.CLUSTER.TRANSMIT.QUEUE"))
    del record["attributes"]["MAXDEPTH"]
    queue = from_record(record)
    assert isinstance(queue, LocalQueue)
    assert (queue.maxdepth, queue.maxmsgl) == (5000, 104857600)


def test_a_record_from_a_later_release_is_refused_by_name(catalogue: Catalogue) -> None:
    record = to_record(local(catalogue, "SYSTEM.DEAD.LETTER.QUEUE"))
    record["attributes"].update(FUTURE=1, OTHER="x")
    with pytest.raises(RecordError, match=r"SYSTEM\.DEAD\.LETTER\.QUEUE.*FUTURE, OTHER"):
        from_record(record)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"version": None},
        {"kind": "CHANNEL"},
        {"kind": "TOPIC"},
        {"kind": None},
        {"name": 5},
        {"name": "../x y"},
        {"attributes": []},
        {"attributes": {"MAXDEPTH": "5"}},
        {"attributes": {"MAXDEPTH": True}},
        {"attributes": {"DESCR": None}},
        {"attributes": {"CURDEPTH": 5}},
    ],
)
def test_damaged_records_are_refused(catalogue: Catalogue, change: dict[str, Any]) -> None:
    record = to_record(local(catalogue, "SYSTEM.DEAD.LETTER.QUEUE"))
    with pytest.raises(RecordError):
        from_record({**record, **change})


def test_a_damaged_list_is_refused() -> None:
    with pytest.raises(RecordError, match="NAMES"):
        from_record({"version": 1, "kind": "NAMELIST", "name": "N", "attributes": {"NAMES": ["A", 1]}})


_LIMITED = ("CLUSNL", "CLCHNAME", "SCOPE", "USAGE", "SSLCIPH", "SSLPEER", "MCANAME")
_NEEDED = {
    "CONNAME": "host(1414)",
    "XMITQ": "X",
    "SHORTUSR": "uid",
    "OCSPURL": "http://ocsp",
    "TOPICSTR": "a/b",
}


def _values(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    """Any valid definition of a kind, except attributes that limit each other."""
    fields: dict[str, st.SearchStrategy[Any]] = {}
    for row in TABLES[kind]:
        if not row.alterable or row.keyword in _LIMITED:
            continue
        if row.kind is Kind.ENUM:
            fields[row.keyword] = st.sampled_from(sorted(row.words))
        elif row.kind is Kind.INTEGER:
            fields[row.keyword] = st.integers(row.low, row.high) | st.sampled_from(sorted(row.words) or [str(row.high)])
        elif row.kind is Kind.NAME:
            fields[row.keyword] = st.sampled_from(["", "A.B", "x/y%_1"])
        elif row.kind is Kind.STRING:
            fields[row.keyword] = st.text(alphabet="aZ é'()", max_size=row.max_length // 2)
        elif row.kind is Kind.NAME_LIST:
            fields[row.keyword] = st.lists(st.sampled_from(["A", "B.C"]), max_size=5)
        elif row.kind is Kind.TEXT_LIST:
            fields[row.keyword] = st.lists(st.sampled_from(["lib(f)", "a b", "é"]), max_size=5)
        elif row.kind is Kind.ENUM_LIST:
            # COMPMSG(ANY) is not for every type of channel
            fields[row.keyword] = st.sampled_from(sorted({*row.words} - {"ANY"})).map(lambda word: [word])
    needed = {keyword: st.just(value) for keyword, value in _NEEDED.items() if keyword in TABLES[kind].by_keyword}
    return st.fixed_dictionaries(needed, optional={k: v for k, v in fields.items() if k not in needed})


@pytest.mark.parametrize("kind", DEFAULT_OBJECTS)
@given(data=st.data())
def test_what_is_defined_is_what_is_recorded(kind: str, data: st.DataObject) -> None:
    catalogue = Catalogue("QM1", T0)
    given_values = data.draw(_values(kind))
    made = catalogue.define(kind, "X", given_values, now=T0)
    copied = from_record(json.loads(json.dumps(to_record(made))))
    assert copied.__dict__ == made.__dict__
    # A topic string is the one thing that nothing else can have
    own = {"TOPICSTR": "c/d"} if kind == "TOPIC" else {}
    like: MQObject = catalogue.define(kind, "Y", own, like="X", now=T0)
    changed = {"topicstr": "a/b"} if own else {}
    assert {**like.__dict__, **changed, "name": "X"} == made.__dict__


def test_a_record_means_the_same_read_whole_and_one_by_one() -> None:
    """The short way is for records as we write them, which all are."""
    objects = list(Session().core.catalogue)
    assert len(objects) > 50
    for made in objects:
        attributes = json.loads(json.dumps(to_record(made)))["attributes"]
        whole = catalogue_module._as_written(made.table, attributes, made.name)
        assert whole is not None and whole == catalogue_module._one_by_one(made.table, attributes, made.name)
        assert whole == {slot: made.__dict__[slot] for _, slot in made.table.stored}
