"""What the summary says, and the small words of a report."""

from __future__ import annotations

import doctest
from dataclasses import replace

from helper_report_content import MONDAY, a_report, an_empty_report, found, group, sections

from libremq.pipeline.report import wording
from libremq.pipeline.report.content import Coverage, Found, Overview, Section
from libremq.pipeline.report.words import STEPS_MAX, summary
from libremq.pipeline.rules.rule_catalogue import RULES

WEEK = a_report().overview


def words(found_: Found, overview: Overview = WEEK, parts: tuple[Section, ...] = (), nearest: str = "") -> str:
    return " ".join(summary(overview, found_, parts, nearest).paragraphs)


def test_examples_in_the_docstrings() -> None:
    outcome = doctest.testmod(wording)
    assert outcome.failed == 0
    assert outcome.attempted >= 8


def test_says_what_was_looked_at() -> None:
    told = words(found())
    assert "3 queue managers on 2 systems, 720 intervals over 5 days (2 Mar 2026 to 6 Mar 2026)" in told
    assert "15.2 million messages put, 322 GB of log data and 1.2 million messages over channels" in told
    assert "2 records of 9,000 could not be read and are in the table quarantine" in told


def test_says_what_is_worst_and_whom_it_concerns() -> None:
    told = words(found())
    assert "3 rules found something: 1 severe, 1 as a warning and 1 worth knowing." in told
    assert "Worst: pool nearly full, in 12 intervals on QM01, QM02 and QM03." in told


def test_says_that_nothing_is_severe() -> None:
    mild = Found(True, (group("pool-half-unused", "info"),), Coverage(392))
    assert "Nothing is severe." in words(mild)
    assert "All 392 rules were evaluated." in words(mild)


def test_a_site_without_findings_is_not_called_well_beyond_what_was_evaluated() -> None:
    told = words(Found(True, (), Coverage(200, 190, 2)))
    assert "None of the 200 rules that could be evaluated found anything wrong." in told
    assert "192 were not" in told


def test_findings_that_were_not_made_are_no_good_news() -> None:
    told = " ".join(an_empty_report().summary.paragraphs)
    assert "Findings were not made" in told
    assert "Nothing here says whether the site is well." in told
    assert "found anything wrong" not in told


def test_says_which_facts_would_let_rules_speak() -> None:
    assert "Most wait for these facts of the site: pool_role." in words(found())


def test_says_which_parts_are_missing_and_what_runs_out_next() -> None:
    told = words(found(), parts=sections(), nearest="Next to run out: QM01 log data.")
    assert "Not in this report: No channel initiator records" in told
    assert "Next to run out: QM01 log data" in told


def test_steps_are_the_most_severe_findings_and_few() -> None:
    many = tuple(group(f"rule-{number}", "severe" if number < 9 else "info", name=f"{number}.") for number in range(12))
    made = summary(WEEK, Found(True, many), ())
    assert [step.rule for step in made.steps] == [f"rule-{number}" for number in range(STEPS_MAX)]
    assert {step.severity for step in made.steps} == {"severe"}
    only_info = summary(WEEK, Found(True, many[9:]), ())
    assert len(only_info.steps) == 3


def test_several_rules_about_one_object_are_one_step() -> None:
    told = (group("pool-nearly-full"), group("pool-no-free-buffer"), group("pool-half-unused", name="2"))
    first, second = summary(WEEK, Found(True, told), ()).steps
    assert first.text == "QM01: Do it. There too: pool no free buffer."
    assert second.rule == "pool-half-unused"
    wide = (group("pool-nearly-full"), group("pool-no-free-buffer", objects=2))
    assert len(summary(WEEK, Found(True, wide), ()).steps) == 2, "other objects are something else to do"


def test_a_day_is_one_day() -> None:
    day = replace(WEEK, first=MONDAY, last=MONDAY.replace(day=3), queue_managers=1, systems=1)
    assert "1 queue manager on 1 system, 720 intervals over 1 day (" in words(found(), day)


def test_every_rule_has_a_heading() -> None:
    titles = [wording.titled(rule.id) for rule in RULES]
    assert all(title[0].isupper() or title.startswith("z") for title in titles)
    assert not [title for title in titles if "-" in title or len(title) > 80]
    assert len(set(titles)) == len(RULES)
