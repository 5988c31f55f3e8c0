"""What people write becomes values, or one line that says what is wrong with it; nothing else gets through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libremq.pipeline.planner.plan import Input
from libremq.pipeline.planner.plan_catalogue import PLANS
from libremq.pipeline.planner.plan_inputs import INPUTS
from libremq.pipeline.planner.reading import PlanError, nearest, read_value
from libremq.pipeline.planner.workload import from_file


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("message_bytes", "5000", 5000),
        ("message_bytes", "5k", 5120),
        ("message_bytes", "5KB", 5120),
        ("message_bytes", "1,000,000", 1_000_000),
        ("message_bytes", "1_000", 1000),
        ("message_bytes", "1e3", 1000),
        ("message_bytes", ".5k", 512),
        ("message_bytes", 700, 700),
        ("log_dataset_mb", "4G", 4096),
        ("log_dataset_mb", "4 GiB", 4096),
        ("log_dataset_mb", "1048576B", 1),
        ("log_mb_per_second_peak", "1G", 1024),
        ("page_set_gb", "512M", 0.5),
        ("users", "10k", 10_000),
        ("users", "1.5M", 1_500_000),
        ("mirrored", "yes", True),
        ("mirrored", "No", False),
        ("mirrored", True, True),
        ("compression", "zlibfast", "ZLIBFAST"),
        ("earlier_rba", "0000 3E022000".replace(" ", ""), 0x3E022000),
        ("earlier_rba", "X'1F'", 0x1F),
        ("earlier_rba", "0x1f", 0x1F),
        ("earlier_rba", "0211.B7845000", 0x0211B7845000),
        ("earlier_rba", 10, 0x10),
        ("lowest_free_buffers", "-20", -20),
    ],
)
def test_values_are_read(name: str, text: Any, value: Any) -> None:
    assert read_value(INPUTS[name], text) == value


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("message_bytes", "-1", "message_bytes must be at least 0, not -1"),
        ("message_bytes", "many", "must be a number of bytes (k, M and G may follow), not 'many'"),
        ("message_bytes", "", "must be a number"),
        ("message_bytes", "1,5", "must be a number"),
        ("message_bytes", "nan", "must be a number"),
        ("message_bytes", float("nan"), "must be a number"),
        ("message_bytes", float("inf"), "must be a number"),
        ("message_bytes", "1e999", "must be at most"),
        ("message_bytes", 10**400, "must be at most"),
        ("message_bytes", True, "must be a number"),
        ("message_bytes", None, "must be a number"),
        ("message_bytes", [1], "must be a number"),
        ("message_bytes", "200M", "must be at most 1.04858e+08"),
        ("users", "10KB", "must be a number of users"),
        ("users", "1.5", "must be a whole number"),
        ("log_dataset_mb", "0", "must be more than 0"),
        ("mirrored", "perhaps", "must be yes or no"),
        ("compression", "gzip", "must be one of: NONE; ZLIBFAST; ZLIBHIGH, not 'gzip'"),
        ("compression", 7, "must be one of"),
        (
            "log_device",
            "DS8900",
            "must be one of: DS8900F RAID 5, 4 stripes; DS8900F RAID 5, 4 stripes, zHPF; or others",
        ),
        ("earlier_rba", "3G", "must be a log address in hexadecimal"),
        ("earlier_rba", True, "must be a log address in hexadecimal"),
        ("users", "x" * 1000, "..."),
    ],
)
def test_what_is_wrong_is_told(name: str, text: Any, told: str) -> None:
    with pytest.raises(PlanError) as error:
        read_value(INPUTS[name], text)
    assert told in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert len(str(error.value)) < 400


_ANYTHING = st.one_of(
    st.text(max_size=20),
    st.text("0123456789.,kMGeE+-_ ", max_size=12),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
)


@given(st.sampled_from(sorted(INPUTS.values(), key=lambda each: each.name)), _ANYTHING)
def test_anything_is_a_value_in_range_or_an_error(each: Input, text: Any) -> None:
    try:
        value = read_value(each, text)
    except PlanError:
        return
    if each.kind == "number":
        assert isinstance(value, float)
        assert each.lowest <= value <= each.highest
        assert value > 0 or not each.positive
    elif each.choices:
        assert value in each.choices


def test_near_names_are_offered() -> None:
    assert nearest("mesage_bytes", INPUTS).startswith("; did you mean message_bytes")
    assert nearest("zzzzzz", INPUTS) == ""


def _read(folder: Path, text: str, plan: str = "pageset", name: str = "w.yaml") -> dict[str, Any]:
    path = folder / name
    path.write_text(text, "utf-8")
    return from_file(path, PLANS[plan], PLANS)


def test_a_file_serves_several_plans(tmp_path: Path) -> None:
    text = "message_bytes: 5k\nmessages-at-once: 1000\nlog_dataset_mb: 4G\nzhpf: yes\nusers:\n"
    text += "restart:\n  checkpoints_per_log: 3\npageset:\n  message_bytes: 100\n"
    assert _read(tmp_path, text) == {"message_bytes": 100, "messages_at_once": 1000}
    assert _read(tmp_path, text, "restart") == {"log_dataset_mb": 4096, "checkpoints_per_log": 3}
    assert _read(tmp_path, text, "index") == {"message_bytes": 5120, "zhpf": True}
    assert _read(tmp_path, '{"message_bytes": "1k"}', name="w.json") == {"message_bytes": 1024}
    assert _read(tmp_path, "") == {}


def test_a_name_of_a_plan_and_an_input_is_told_apart_by_what_stands_under_it(tmp_path: Path) -> None:
    assert _read(tmp_path, "ssltasks: 5\n", "chinit") == {"ssltasks": 5}
    assert _read(tmp_path, "ssltasks: {processors: 4}\n", "ssltasks") == {"processors": 4}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mesage_bytes: 5", "no plan has an input 'mesage_bytes'; did you mean message_bytes"),
        ("pageset:\n  message_byte: 5", "plan pageset has no input 'message_byte'; did you mean message_bytes"),
        ("restart:\n  message_bytes: 5", "plan restart has no input 'message_bytes'"),
        ("message_bytes: -5", "message_bytes must be at least 0, not -5"),
        ("message_bytes: [1, 2]", "message_bytes must be a number of bytes"),
        ("message_bytes: .nan", "message_bytes must be a number of bytes"),
        ("1: 2", "1 is not the name of an input"),
        ("- a\n- b", "not a mapping of `name: value`"),
        ("a: b: c", "not YAML in line 1"),
        ("a: !!python/object:os.system {}", "not YAML in line 1"),
        ("pageset: 7", "no plan has an input 'pageset'"),
        ("a: 2026-99-99", "not YAML: a value that makes no sense"),
        ("[" * 400, "not YAML"),
    ],
)
def test_a_bad_file_is_told_in_one_line(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(PlanError) as error:
        _read(tmp_path, text)
    assert told in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "w.yaml"))
    assert "\n" not in str(error.value)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    for path, told in ((tmp_path, "cannot be read"), (tmp_path / "no.yaml", "No such file")):
        with pytest.raises(PlanError, match=told):
            from_file(path, PLANS["pageset"], PLANS)
    (tmp_path / "latin.yaml").write_bytes(b"caf\xe9: 1")
    with pytest.raises(PlanError, match="not text in UTF-8"):
        from_file(tmp_path / "latin.yaml", PLANS["pageset"], PLANS)
    with pytest.raises(PlanError, match="not JSON"):
        _read(tmp_path, "{", name="w.json")
    with pytest.raises(PlanError, match="at most 1,000,000 bytes"):
        _read(tmp_path, "# " + "x" * 1_000_000)
