"""MQINQ and MQSET on definitions."""

from __future__ import annotations

from typing import Any

import pytest

from libremq.kernel.objects.catalogue import Catalogue, char_length, inquire, set_attributes
from libremq.kernel.objects.object_types import LocalQueue, MQObject
from libremq.kernel.objects.system_objects import create_system_objects
from libremq.mqi import constants as mq
from libremq.mqi.errors import MQError

T0 = 1_700_000_000.0


@pytest.fixture
def catalogue() -> Catalogue:
    made = Catalogue("QM1", T0)
    create_system_objects(made, T0)
    return made


def test_values_come_in_the_order_of_the_selectors(catalogue: Catalogue) -> None:
    queue = catalogue.define("QLOCAL", "Q", {"DESCR": "text", "MAXDEPTH": 9}, now=T0)
    values = inquire(queue, [mq.MQCA_Q_DESC, mq.MQIA_MAX_Q_DEPTH, mq.MQCA_Q_NAME, mq.MQIA_Q_TYPE, mq.MQIA_MAX_Q_DEPTH])
    assert values == ["text", 9, "Q", mq.MQQT_LOCAL, 9]
    assert (values.reason, values.comp_code) == (mq.MQRC_NONE, mq.MQCC_OK)
    assert inquire(queue, []) == []


def test_live_values(catalogue: Catalogue) -> None:
    queue = catalogue.define("QLOCAL", "Q", {}, now=T0)
    selectors = [mq.MQIA_CURRENT_Q_DEPTH, mq.MQIA_OPEN_INPUT_COUNT, mq.MQIA_OPEN_OUTPUT_COUNT]
    assert inquire(queue, selectors) == [0, 0, 0]
    live = {mq.MQIA_CURRENT_Q_DEPTH: 5, mq.MQIA_OPEN_OUTPUT_COUNT: 2, mq.MQIA_MAX_Q_DEPTH: 1}
    assert inquire(queue, selectors, live) == [5, 0, 2]
    assert inquire(queue, [mq.MQIA_MAX_Q_DEPTH], live) == [5000]


def test_a_selector_of_another_type_of_queue_is_a_warning(catalogue: Catalogue) -> None:
    alias = catalogue.define("QALIAS", "A", {"TARGET": "Q"}, now=T0)
    values = inquire(alias, [mq.MQIA_CURRENT_Q_DEPTH, mq.MQCA_BASE_Q_NAME, mq.MQCA_CREATION_DATE, mq.MQIA_INHIBIT_GET])
    assert values == [mq.MQIAV_NOT_APPLICABLE, "Q", "*" * 12, mq.MQQA_GET_ALLOWED]
    assert (values.reason, values.comp_code) == (mq.MQRC_SELECTOR_NOT_FOR_TYPE, mq.MQCC_WARNING)


def test_unknown_selectors_fail(catalogue: Catalogue) -> None:
    queue = catalogue.define("QLOCAL", "Q", {}, now=T0)
    cases: list[tuple[MQObject, int]] = [
        (queue, 0),
        (queue, 999),
        (queue, mq.MQIA_MAX_HANDLES),
        (queue, mq.MQIA_INDEX_TYPE),
        (catalogue.qmgr, mq.MQIA_CURRENT_Q_DEPTH),
        (catalogue.qmgr, mq.MQCA_SSL_KEY_REPO_PASSWORD),
        (catalogue.define("PROCESS", "P", {}, now=T0), mq.MQCA_Q_NAME),
        (catalogue.define("NAMELIST", "N", {}, now=T0), mq.MQIA_Q_TYPE),
    ]
    for made, selector in cases:
        with pytest.raises(MQError) as error:
            inquire(made, [selector])
        assert error.value.reason == mq.MQRC_SELECTOR_ERROR
        assert str(selector) in error.value.detail


def test_too_many_selectors(catalogue: Catalogue) -> None:
    assert len(inquire(catalogue.qmgr, [mq.MQIA_CODED_CHAR_SET_ID] * 256)) == 256
    with pytest.raises(MQError) as error:
        inquire(catalogue.qmgr, [mq.MQIA_CODED_CHAR_SET_ID] * 257)
    assert error.value.reason == mq.MQRC_SELECTOR_LIMIT_EXCEEDED


def test_other_objects(catalogue: Catalogue) -> None:
    assert inquire(catalogue.qmgr, [mq.MQCA_Q_MGR_NAME, mq.MQIA_MAX_PRIORITY, mq.MQIA_PLATFORM]) == [
        "QM1",
        9,
        mq.MQPL_UNIX,
    ]
    process = catalogue.define("PROCESS", "P", {"APPLICID": "run me"}, now=T0)
    assert inquire(process, [mq.MQCA_PROCESS_NAME, mq.MQCA_APPL_ID, mq.MQIA_APPL_TYPE]) == ["P", "run me", mq.MQAT_UNIX]
    names = catalogue.define("NAMELIST", "N", {"NAMES": ["A", "BC"]}, now=T0)
    values = inquire(names, [mq.MQIA_NAME_COUNT, mq.MQCA_NAMES, mq.MQCA_NAMELIST_NAME])
    assert values == [2, "A".ljust(48) + "BC".ljust(48), "N"]


@pytest.mark.parametrize(
    ("selector", "length"),
    [
        (mq.MQCA_Q_NAME, 48),
        (mq.MQCA_Q_DESC, 64),
        (mq.MQCA_CREATION_DATE, 12),
        (mq.MQCA_CREATION_TIME, 8),
        (mq.MQCA_APPL_ID, 256),
        (mq.MQCA_NAMES, 48),
        (mq.MQIA_Q_TYPE, 0),
    ],
)
def test_char_lengths(selector: int, length: int) -> None:
    assert char_length(selector) == length


def test_set(catalogue: Catalogue) -> None:
    queue = catalogue.define("QLOCAL", "Q", {}, now=T0)
    assert isinstance(queue, LocalQueue)
    set_attributes(
        queue,
        {
            mq.MQIA_INHIBIT_GET: mq.MQQA_GET_INHIBITED,
            mq.MQIA_INHIBIT_PUT: mq.MQQA_PUT_INHIBITED,
            mq.MQIA_TRIGGER_CONTROL: mq.MQTC_ON,
            mq.MQIA_TRIGGER_TYPE: mq.MQTT_DEPTH,
            mq.MQIA_TRIGGER_DEPTH: 5,
            mq.MQIA_TRIGGER_MSG_PRIORITY: 3,
            mq.MQIA_DIST_LISTS: mq.MQDL_SUPPORTED,
            mq.MQCA_TRIGGER_DATA: "data".ljust(64),
        },
    )
    assert (queue.get, queue.put, queue.distl) == (mq.MQQA_GET_INHIBITED, mq.MQQA_PUT_INHIBITED, mq.MQDL_SUPPORTED)
    assert (queue.trigger, queue.trigtype, queue.trigdpth) == (mq.MQTC_ON, mq.MQTT_DEPTH, 5)
    assert (queue.trigmpri, queue.trigdata) == (3, "data")


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({mq.MQIA_INHIBIT_GET: 2}, mq.MQRC_INHIBIT_VALUE_ERROR),
        ({mq.MQIA_INHIBIT_PUT: "DISABLED"}, mq.MQRC_INHIBIT_VALUE_ERROR),
        ({mq.MQIA_TRIGGER_CONTROL: -1}, mq.MQRC_TRIGGER_CONTROL_ERROR),
        ({mq.MQIA_TRIGGER_TYPE: 4}, mq.MQRC_TRIGGER_TYPE_ERROR),
        ({mq.MQIA_TRIGGER_DEPTH: 0}, mq.MQRC_TRIGGER_DEPTH_ERROR),
        ({mq.MQIA_TRIGGER_MSG_PRIORITY: 10}, mq.MQRC_TRIGGER_MSG_PRIORITY_ERR),
        ({mq.MQIA_DIST_LISTS: 2}, mq.MQRC_INT_ATTRS_ARRAY_ERROR),
        ({mq.MQCA_TRIGGER_DATA: "x" * 65}, mq.MQRC_CHAR_ATTRS_ERROR),
        ({mq.MQCA_TRIGGER_DATA: 5}, mq.MQRC_CHAR_ATTRS_ERROR),
        ({mq.MQIA_MAX_Q_DEPTH: 5}, mq.MQRC_SELECTOR_ERROR),
        ({mq.MQCA_Q_DESC: "x"}, mq.MQRC_SELECTOR_ERROR),
        ({999: 5}, mq.MQRC_SELECTOR_ERROR),
    ],
)
def test_set_is_all_or_nothing(catalogue: Catalogue, values: dict[int, Any], reason: int) -> None:
    queue = catalogue.define("QLOCAL", "Q", {}, now=T0)
    before = dict(queue.__dict__)
    with pytest.raises(MQError) as error:
        set_attributes(queue, {mq.MQIA_TRIGGER_CONTROL: mq.MQTC_ON, **values})
    assert error.value.reason == reason
    assert queue.__dict__ == before


def test_what_can_be_set_depends_on_the_type(catalogue: Catalogue) -> None:
    alias = catalogue.define("QALIAS", "A", {}, now=T0)
    remote = catalogue.define("QREMOTE", "R", {}, now=T0)
    set_attributes(alias, {mq.MQIA_INHIBIT_GET: 1, mq.MQIA_INHIBIT_PUT: 1})
    set_attributes(remote, {mq.MQIA_INHIBIT_PUT: 1})
    assert inquire(alias, [mq.MQIA_INHIBIT_GET, mq.MQIA_INHIBIT_PUT]) == [1, 1]
    assert inquire(remote, [mq.MQIA_INHIBIT_PUT]) == [1]
    for made, selector in (
        (alias, mq.MQIA_TRIGGER_CONTROL),
        (remote, mq.MQIA_INHIBIT_GET),
        (catalogue.qmgr, mq.MQIA_DIST_LISTS),
    ):
        with pytest.raises(MQError) as error:
            set_attributes(made, {selector: 0})
        assert error.value.reason == mq.MQRC_SELECTOR_ERROR
