"""The simulated site: its numbers agree, the same seed gives the same site, and sickness stays where it is put."""

from __future__ import annotations

import io
import json
from collections import Counter
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from libremq.pipeline.generator.dump_writer import framed
from libremq.pipeline.generator.estate import estate
from libremq.pipeline.generator.facts import site_facts
from libremq.pipeline.generator.generated_site import STARTED, Site
from libremq.pipeline.generator.generator_command import chosen, generate, place
from libremq.pipeline.generator.interval import Interval
from libremq.pipeline.generator.sick_site import unchanged
from libremq.pipeline.generator.sickness import Case, covers, sicknesses

DAY = Site(estate(2), days=1, interval_minutes=30)


def intervals(site: Site, name: str = "QM01") -> list[Interval]:
    owner = next(each for each in site.queue_managers if each.name == name)
    return list(site.intervals(owner))


def contents(interval: Interval) -> Any:
    return interval.rows, [(task.identity, task.totals, task.queues, task.sizes) for task in interval.tasks]


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others() -> None:
    def dump(seed: int) -> bytes:
        return b"".join(framed(whole) for _, _, whole in Site(estate(2, seed), days=0.1, seed=seed).records())

    assert dump(5) == dump(5)
    assert dump(5) != dump(6)


def test_the_days_load_rises_and_falls() -> None:
    loads = [each.traffic.load for each in intervals(DAY)]
    busiest = loads.index(max(loads))
    assert 16 <= busiest <= 30
    assert max(loads) > 3 * min(loads)


def test_queue_task_and_queue_manager_counts_agree() -> None:
    for interval in intervals(DAY):
        traffic = interval.traffic
        calls, data = interval.one("qmst"), interval.one("qist")
        queues = {row["qqstqnam"]: row for row in interval.rows["qqst"]}
        assert calls["qmstput"] + calls["qmstput1"] == traffic.puts
        assert sum(row["qqstputs"] for row in queues.values()) == traffic.puts
        assert calls["qmstspp"] + calls["qmstsnp"] == traffic.puts
        assert data["qistgetb"] == sum(each.gets for each in traffic.queues.values() if not each.queue.shared)
        for name, row in queues.items():
            rows = [task.queue(name) for task in interval.tasks_on(name)]
            if any(each["putn"] for each in rows):
                assert sum(each["putn"] for each in rows) == row["qqstputs"], name
            if any(each["validget"] for each in rows):
                assert sum(each["validget"] for each in rows) == row["qqstgets"], name


def test_depth_goes_on_from_interval_to_interval() -> None:
    before: dict[str, int] = {}
    for interval in intervals(DAY):
        for row in interval.rows["qqst"]:
            if row["qqstqnam"] in before:
                assert before[row["qqstqnam"]] + row["qqstputs"] - row["qqstgets"] == row["qqstdpth"]
            before[row["qqstqnam"]] = row["qqstdpth"]


def test_pages_log_and_tasks_are_within_what_there_is() -> None:
    switches = logged = 0
    for interval in intervals(Site(estate(2), days=7, interval_minutes=60)):
        logged += interval.traffic.log_bytes
        for row in interval.rows["qis1"]:
            assert row["qis1unpg"] + row["qis1ppg"] + row["qis1nppg"] == row["qis1topg"]
            assert row["qis1unpg"] > 0.3 * row["qis1topg"]
        for row in interval.rows["qpst"]:
            assert 0.15 * row["qpstnbuf"] < row["qpstcbsl"] < 0.5 * row["qpstnbuf"]
            assert row["qpstcbsl"] <= row["qpstcbs"]
        log = interval.one("qjst")
        switches += log["qjstcp1n"]
        assert log["qjstioci"][0] + log["qjstioci"][1] == log["qjstbffl"]
        assert log["qjstbffl"] * 4096 >= interval.traffic.log_bytes
        assert log["qjstslptu"] > 0.5 * interval.traffic.microseconds
        for name in ("qctdsp", "qctadp", "qctssl", "qctdns"):
            for row in interval.rows[name]:
                whole = (row["qcteltm"] + row["qctwttm"]) / 4096
                assert abs(whole - interval.traffic.microseconds) < 2
        assert interval.rows["qctadp"][-1]["qctreqn"] == 0
    assert switches == logged // estate(2)[0].log_bytes > 10


@cache
def healthy(name: str) -> list[Any]:
    return [contents(each) for each in intervals(Site(estate(2), days=0.6, interval_minutes=60), name)]


@pytest.mark.parametrize("name", sorted(sicknesses()))
def test_a_sickness_changes_its_queue_manager_from_its_beginning_on_and_nothing_else(name: str) -> None:
    kind = sicknesses()[name]
    begins = STARTED + timedelta(hours=10)
    case = Case(kind, "QM01", begins, begins + timedelta(hours=2))
    site = Site(estate(2), days=0.6, interval_minutes=60, cases=[case])
    for well, sick in zip(healthy("QM01"), intervals(site)):
        changed = well != contents(sick)
        shows = kind.change is not unchanged and begins <= sick.traffic.start < begins + timedelta(hours=2)
        assert changed == shows, sick.traffic.start
    assert [contents(each) for each in intervals(site, "QM02")] == healthy("QM02")


@pytest.mark.parametrize("release", ["8.0.0", "9.2.0", "9.4.0", "10.0.0"])
def test_every_sickness_can_be_written_by_every_release(release: str) -> None:
    owners = estate(2, releases=(release,))
    cases = place(list(sicknesses().values()), owners, STARTED, STARTED)
    kinds = Counter(whole[5] for _, _, whole in Site(owners, days=0.05, cases=cases).records())
    assert set(kinds) == {115, 116}


def test_each_sickness_says_which_facts_it_raises() -> None:
    for each in sicknesses().values():
        assert each.raises and each.title and each.rules, each.name
        assert each.change is not unchanged or each.facts, each.name


def test_the_rules_named_exist_and_rest_on_the_facts_named() -> None:
    catalogue = pytest.importorskip("libremq.pipeline.rules.rule_catalogue")
    rules = {rule.id: set(rule.fact.replace(",", " ").split()) for rule in catalogue.RULES}
    for each in sicknesses().values():
        assert each.rules <= set(rules), each.name
        facts = {fact for name in each.rules for fact in rules[name]}
        assert all(covers(facts, fact) for fact in each.raises), each.name


def test_the_facts_of_the_site_are_whole_and_those_of_a_sickness_are_on_its_queue_manager_only() -> None:
    rules = pytest.importorskip("libremq.pipeline.rules.site_facts")
    settings = pytest.importorskip("libremq.pipeline.rules.settings")
    owners = estate(4)
    facts = rules.SiteFacts.of(site_facts(owners, [("QM02", sicknesses()["trace-left-on"].facts)]))
    assert [name for name in settings.SETTINGS if not facts.knows(name)] == []
    assert [facts.value("global_trace", owner.name) for owner in owners] == [False, True, False, False]
    assert facts.value("qsg_queue_managers", "QM01") == 2
    assert facts.value("pool_role", "QM03", "pool", "2") == "short"


def test_facts_with_two_names_cover_each_other() -> None:
    assert covers({"R-BP-4"}, "R-BP-07")
    assert not covers({"R-BP-4"}, "R-LG-2")


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="no sickness plague"):
        chosen(["plague"])
    with pytest.raises(ValueError, match="no such queue manager: QM09"):
        Site(estate(1), cases=[Case(sicknesses()["pool-short"], "QM09", STARTED)])


def test_generate_writes_a_file_per_system_and_day_and_what_to_expect(tmp_path: Path) -> None:
    sick = ["pool-short", "names-slow"]
    made = generate(tmp_path, days=1.5, queue_managers=2, interval_minutes=30, sick=sick, seed=3)
    assert [path.name for path in made.files] == sorted(
        (path.name for path in tmp_path.glob("dumps/*.dat")), key=lambda name: (name.split(".")[2], name)
    )
    assert {path.name.split(".")[1] for path in made.files} == {"SYSA", "SYSB"}
    said = json.loads((tmp_path / "expected.json").read_text())
    assert said["bytes"] == sum(path.stat().st_size for path in made.files)
    assert [(case["sickness"], case["queue_manager"]) for case in said["cases"]] == [
        ("pool-short", "QM01"),
        ("names-slow", "QM02"),
    ]
    assert json.loads((tmp_path / "site.json").read_text())["queue_managers"].keys() == {"QM01", "QM02"}
    assert said["cases"][0]["rules"] and said["cases"][0]["facts"] == ["R-BP-06"]
    for path in made.files:
        data = path.read_bytes()
        assert (data[5], data[-18 + 5]) == (2, 3)


@pytest.mark.parametrize("rdw", [True, False])
def test_what_is_generated_can_be_read_and_all_records_count(tmp_path: Path, rdw: bool) -> None:
    pytest.importorskip("pyarrow")
    framing = pytest.importorskip("libremq.pipeline.smf.framing")
    decode = pytest.importorskip("libremq.pipeline.smf.decode")
    columns = pytest.importorskip("libremq.pipeline.smf.smf_columns")
    made = generate(tmp_path, days=0.25, queue_managers=3, spanned=0.5, accounting_every=3, rdw=rdw)
    found: Counter[Any] = Counter()
    rows: Counter[str] = Counter()
    for path in made.files:
        for chunk in framing.chunks(io.BytesIO(path.read_bytes()), "rdw" if rdw else "bare"):
            assert not chunk.damage
            decoded = decode.decode(chunk, path.name, columns.TextDecoder())
            assert not decoded.quarantine
            rows.update({name: batch.num_rows for name, batch in decoded.batches.items()})
            for (kind, subtype, outcome, _), count in decoded.counts.items():
                if outcome == "decoded":
                    found[kind, subtype] += count
    assert found == made.records
    assert rows["qpst"] == 4 * made.records[115, 215]
    assert rows["qcst"] == 50 * 12 * 3
