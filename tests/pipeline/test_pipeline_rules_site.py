"""Site facts: nearest wins, slips are refused, JSON and YAML say the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from libremq.pipeline.rules.site import SiteFacts, SiteFactsError, load

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
