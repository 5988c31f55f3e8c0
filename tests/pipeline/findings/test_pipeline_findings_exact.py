"""From dumps to findings on a simulated site: the sick are found with what they have, and nothing else is found.

A sickness that shows in single intervals gets an hour of its own on a queue manager that is well before and after; one
that shows over a day, or in the site's facts, has a queue manager from its beginning on, beside others that raise other
rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

import pytest

from libremq.pipeline.generator.estate import QueueManager, estate
from libremq.pipeline.generator.generated_site import Site
from libremq.pipeline.generator.generator_command import DUMPS_FOLDER, SITE_FILE, write
from libremq.pipeline.generator.sickness import Case, Sickness, sicknesses
from libremq.pipeline.rules.demands import demand_of
from libremq.pipeline.rules.rule_catalogue import BY_ID, RULES
from libremq.pipeline.rules.settings import SITE_SUBJECTS
from libremq.pipeline.rules.site_facts import load

pytest.importorskip("pyspark")
from helper_spark import session

from libremq.pipeline.rules.rule_evaluation import Evaluation, evaluate
from libremq.pipeline.tables import conformed, raw

if TYPE_CHECKING:
    from pyspark.sql import Row

HOUR = timedelta(hours=1)
START = datetime(2025, 3, 3, 6, tzinfo=UTC)
HOURS = 12
NEED_MORE_TIME = {rule.id for rule in RULES if demand_of(rule).sort == "unused"}
"""What nobody can say after half a day: that something is not needed."""
WELL_FIRST = 2
"""Hours at the beginning in which everybody is well."""


class Label(NamedTuple):
    """What is found, where: during which sickness, or that there was none."""

    queue_manager: str
    sickness: str
    rule: str


def _in_single_intervals(kind: Sickness) -> bool:
    rules = [BY_ID[name] for name in kind.rules]
    return not kind.from_start and not kind.facts and all(rule.over in ("", "interval") for rule in rules)


def _hourly(owners: Sequence[QueueManager], kinds: Iterable[Sickness]) -> list[Case]:
    """Each kind an hour of its own; shared queues need a queue manager that has them."""
    free = [(owner, hour) for hour in range(WELL_FIRST, HOURS) for owner in owners]
    cases = []
    for kind in sorted(kinds, key=lambda each: not each.shared_only):
        fit = [place for place in free if bool(place[0].structures) >= kind.shared_only]
        owner, hour = fit[0]
        free.remove((owner, hour))
        cases.append(Case(kind, owner.name, START + hour * HOUR, START + (hour + 1) * HOUR))
    return cases


def _lasting(owners: Sequence[QueueManager], kinds: Iterable[Sickness]) -> list[Case]:
    """Each kind to the end, beside kinds that raise other rules and change other facts."""
    placed: dict[str, list[Sickness]] = {owner.name: [] for owner in owners}
    cases = []
    for kind in kinds:
        fit = [
            name
            for name, others in placed.items()
            if not any(kind.rules & other.rules or set(kind.facts) & set(other.facts) for other in others)
        ]
        name = min(fit, key=lambda each: len(placed[each]))
        placed[name].append(kind)
        cases.append(Case(kind, name, START if kind.from_start else START + HOURS // 2 * HOUR))
    return cases


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Case], Evaluation, list[Row]]:
    kinds = sicknesses().values()
    owners = estate(9, seed=4)
    hourly, lasting = owners[:4], owners[4:8]
    cases = _hourly(hourly, filter(_in_single_intervals, kinds))
    cases += _lasting(lasting, (kind for kind in kinds if not _in_single_intervals(kind)))
    folder = tmp_path_factory.mktemp("site")
    write(Site(owners, START, HOURS / 24, 60, seed=4, cases=cases), folder, accounting_every=1, spanned=0.02)
    spark = session()
    raw.ingest(spark, [str(folder / DUMPS_FOLDER)], folder / "tables")
    conformed.build(spark, folder / "tables")
    evaluation = evaluate(conformed.tables(spark, folder / "tables"), load(folder / SITE_FILE), spark=spark)
    return cases, evaluation, evaluation.collect()


def _label(row: Row, cases: Sequence[Case]) -> Label:
    """The sickness that a finding belongs to: of its hour; where several last, the one that names the rule."""
    here = [case for case in cases if case.queue_manager == row["qmgr"]]
    single = BY_ID[row["rule"]].over in ("", "interval") and row["interval_start"] is not None
    if single:
        moment = row["interval_start"].replace(tzinfo=UTC)
        here = [case for case in here if case.begins <= moment and (case.ends is None or moment < case.ends)]
    else:
        here = [case for case in here if case.ends is None]
    named = [case for case in here if row["rule"] in case.sickness.rules] or here
    return Label(row["qmgr"], named[0].sickness.name if named else "well", row["rule"])


def test_findings_are_exactly_the_expected_ones(judged: tuple[list[Case], Evaluation, list[Row]]) -> None:
    cases, _, rows = judged
    expected = {
        Label(case.queue_manager, case.sickness.name, rule)
        for case in cases
        for rule in case.sickness.rules - NEED_MORE_TIME
    }
    told = {_label(row, cases): f"{row['object']}: {row['advice']}" for row in rows}
    missing = [f"not found: {' '.join(label)}" for label in sorted(expected - set(told))]
    unexpected = [f"found: {' '.join(label)} ({told[label]})" for label in sorted(set(told) - expected)]
    assert not missing and not unexpected, "\n".join(["", *missing, *unexpected])


def test_every_sickness_is_on_the_site_and_some_queue_manager_is_well(
    judged: tuple[list[Case], Evaluation, list[Row]],
) -> None:
    cases, _, rows = judged
    assert {case.sickness.name for case in cases} == set(sicknesses())
    assert (
        {row["qmgr"] for row in rows}
        == {case.queue_manager for case in cases}
        != {owner.name for owner in estate(9, seed=4)}
    )


def test_every_rule_was_judged_on_the_simulated_site(judged: tuple[list[Case], Evaluation, list[Row]]) -> None:
    _, evaluation, _ = judged
    assert {each.rule for each in evaluation.not_evaluated if each.status == "too little to judge"} == NEED_MORE_TIME
    assert {each.rule for each in evaluation.not_evaluated} == NEED_MORE_TIME
    of_facts = [each for each in evaluation.coverage if each.subject in SITE_SUBJECTS]
    assert all(each.rows_judged for each in of_facts)
