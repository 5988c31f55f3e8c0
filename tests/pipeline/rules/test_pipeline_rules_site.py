"""Site facts: nearest wins, slips are refused, JSON and YAML say the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from libremq.pipeline.rules.site_facts import SiteFacts, SiteFactsError, load

CONTENT = {
    "site": {"environment": "production", "outbuff_kb": 400},
    "queue_managers": {"QM01": {"outbuff_kb": 4000}},
    "objects": {
        "pool": [{"qmgr": "QM01", "name": 2, "pool_role": "short"}, {"name": "2", "pool_role": "long"}],
        "structure": [{"name": "APP1", "cflevel": 5, "outbuff_kb": 1}],
    },
    "thresholds": {"pool-nearly-full": 10},
}


def test_the_nearest_fact_counts() -> None:
    facts = SiteFacts.of(CONTENT)
    assert facts.value("outbuff_kb", "QM01") == 4000
    assert facts.value("outbuff_kb", "QM02") == 400
    assert facts.value("outbuff_kb", "QM01", "structure", "APP1") == 1
    assert facts.value("pool_role", "QM01", "pool", "2") == "short"
    assert facts.value("pool_role", "QM02", "pool", "2") == "long"
    assert facts.value("pool_role", "QM02", "pool", "3") is None
    assert facts.knows("cflevel") and not facts.knows("logload")
    assert facts.thresholds == {"pool-nearly-full": 10.0}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"site": {"outbuf": 1}}, "outbuf"),
        ({"site": {"outbuff_kb": "4000"}}, "number"),
        ({"site": {"outbuff_kb": True}}, "number"),
        ({"site": {"zhpf": 1}}, "flag"),
        ({"site": {"archive_to": 1}}, "word"),
        ({"sites": {}}, "sites"),
        ({"objects": {"pools": []}}, "pools"),
        ({"objects": {"pool": [{"pool_role": "short"}]}}, "name"),
        ({"site": {"archive_to": "moon"}}, "one of tape, dasd"),
        ({"site": {"outbuff_kb": -5}}, "number"),
        ({"site": {"outbuff_kb": float("nan")}}, "number"),
        ({"site": {"outbuff_kb": float("inf")}}, "number"),
        ({"site": {"outbuff_kb": None}}, "number"),
        ({"site": [1]}, "site: names with values"),
        ({"queue_managers": ["QM01"]}, "queue_managers: names with values"),
        ({"queue_managers": {"QM01": 5}}, "queue manager QM01: names with values"),
        ({"objects": ["pool"]}, "objects: names with values"),
        ({"objects": {"pool": 5}}, "'pool': a list"),
        ({"objects": {"pool": {"name": 1}}}, "'pool': a list"),
        ({"objects": {"pool": [3]}}, "'pool': names with values"),
        ({"thresholds": [1]}, "thresholds: names with values"),
        ({"thresholds": {"pool-nearly-fool": 5}}, "pool-nearly-fool.*no rule"),
        ({"thresholds": {"pool-nearly-full": "ten"}}, "threshold of pool-nearly-full is a number"),
        ({"thresholds": {"pool-nearly-full": None}}, "threshold of pool-nearly-full is a number"),
        ({"thresholds": {"pool-nearly-full": True}}, "threshold of pool-nearly-full is a number"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(content: dict[str, object], told: str) -> None:
    with pytest.raises(SiteFactsError, match=told):
        SiteFacts.of(content)


def test_json_and_yaml_files_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "site.json").write_text(json.dumps(CONTENT), "utf-8")
    facts = load(tmp_path / "site.json")
    assert facts == SiteFacts.of(CONTENT)
    yaml = pytest.importorskip("yaml")
    (tmp_path / "site.yaml").write_text(yaml.safe_dump(CONTENT), "utf-8")
    assert load(tmp_path / "site.yaml") == facts


def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site.json").write_text("[]", "utf-8")
    with pytest.raises(SiteFactsError, match="mapping"):
        load(tmp_path / "site.json")


def test_words_are_spelled_as_rules_spell_them_and_names_of_digits_are_names() -> None:
    facts = SiteFacts.of(
        {
            "site": {"archive_to": "TAPE", "cluster_cache": "static", "dead_letter_queue": "My.Queue"},
            "queue_managers": {1234: {"outbuff_kb": 400}},
            "objects": {"pool": [{"qmgr": 1234, "name": 2, "pool_role": "Short"}]},
        }
    )
    assert facts.everywhere == {"archive_to": "tape", "cluster_cache": "STATIC", "dead_letter_queue": "My.Queue"}
    assert facts.value("outbuff_kb", "1234") == 400
    assert facts.value("pool_role", "1234", "pool", "2") == "short"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("broken.json", b"{bad", "broken.json: not JSON"),
        ("empty.json", b"", "empty.json: not JSON"),
        ("broken.yaml", b"a: [b\n c: }", "broken.yaml: not YAML in line 2"),
        ("tab.yml", b"site:\n\toutbuff_kb: 4", "tab.yml: not YAML in line 2"),
        ("list.txt", b"- a", "list.txt: not a mapping"),
        ("bytes.yaml", b"\xff\xfe", "bytes.yaml: cannot be read: not text in UTF-8"),
        ("slip.yaml", b"site: {outbuf: 1}", "slip.yaml: site facts name 'outbuf'"),
    ],
)
def test_a_bad_file_is_named_in_one_line(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    if not name.endswith(".json"):
        pytest.importorskip("yaml")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SiteFactsError, match=told) as refused:
        load(tmp_path / name)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_named_and_an_empty_one_says_nothing(tmp_path: Path) -> None:
    with pytest.raises(SiteFactsError, match=r"none\.yaml: cannot be read: No such file"):
        load(tmp_path / "none.yaml")
    pytest.importorskip("yaml")
    (tmp_path / "empty.yaml").write_bytes(b"")
    assert load(tmp_path / "empty.yaml") == SiteFacts()
