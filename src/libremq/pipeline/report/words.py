"""The summary in words: what was looked at, how it stands, what to do first, what nobody could judge.

Everything is said from the other parts of the report; nothing is read here.
"""

from __future__ import annotations

from collections.abc import Sequence

from libremq.pipeline.plain_text import shown
from libremq.pipeline.report.content import FindingGroup, Found, Overview, Section, Step, Summary
from libremq.pipeline.report.wording import counted, day, listed, rounded

STEPS_MAX = 5

_HOW = {"severe": "severe", "warning": "as a warning", "info": "worth knowing"}


def summary(overview: Overview, found: Found, sections: Sequence[Section], nearest: str = "") -> Summary:
    """`nearest` says what runs out next, if anything does."""
    paragraphs = [_looked_at(overview), _stands(overview, found)]
    if nearest:
        paragraphs.append(nearest)
    paragraphs.append(_not_judged(found))
    lacking = [note for section in sections if not section.charts and not section.tables for note in section.notes]
    if lacking:
        paragraphs.append(f"Not in this report: {' '.join(lacking)}")
    urgent = [group for group in found.groups if group.severity != "info"] or list(found.groups)
    return Summary(tuple(text for text in paragraphs if text), _steps(urgent))


def _steps(groups: Sequence[FindingGroup]) -> tuple[Step, ...]:
    """The first things to do. Several rules often speak of one sick object: that is one thing to do."""
    together: dict[tuple[str | None, ...], list[FindingGroup]] = {}
    for group in groups:
        alone = group.concerned[0] if group.objects_in_all == 1 and group.concerned else None
        key = (group.subject, alone.qmgr, alone.object) if alone else (group.rule,)
        together.setdefault(key, []).append(group)
    steps = []
    for first, *others in list(together.values())[:STEPS_MAX]:
        more = f" There too: {listed([_lowered(group.title) for group in others])}." if others else ""
        steps.append(Step(first.rule, first.severity, first.title, _step(first) + more))
    return tuple(steps)


def _looked_at(overview: Overview) -> str:
    if overview.first is None or overview.last is None:
        return "The tables have no interval of any queue manager, so there is little to say."
    days = f"{overview.days:.1f}".removesuffix(".0")
    time = f"{days} days" if days != "1" else "1 day"
    told = (
        f"{counted(overview.queue_managers, 'queue manager')} on {counted(overview.systems, 'system')},"
        f" {counted(overview.intervals, 'interval')} over {time} ({day(overview.first)} to {day(overview.last)})"
    )
    amounts = []
    if overview.messages_put is not None:
        amounts.append(f"{rounded(overview.messages_put)} messages put")
    if overview.log_gb is not None:
        amounts.append(f"{shown(overview.log_gb)} GB of log data")
    if overview.channel_messages is not None:
        amounts.append(f"{rounded(overview.channel_messages)} messages over channels")
    text = f"{told}: {listed(amounts)}." if amounts else f"{told}."
    if overview.records_quarantined:
        text += (
            f" {counted(overview.records_quarantined, 'record')} of {rounded(overview.records)} could not be read and"
            f" {'is' if overview.records_quarantined == 1 else 'are'} in the table quarantine."
        )
    return text


def _stands(overview: Overview, found: Found) -> str:
    if not found.made:
        return f"{found.note} Nothing here says whether the site is well."
    if not found.groups:
        return f"None of the {counted(found.coverage.evaluated, 'rule')} that could be evaluated found anything wrong."
    parts = []
    for severity, words in _HOW.items():
        if groups := found.of(severity):
            parts.append(f"{shown(len(groups))} {words}")
    text = f"{counted(len(found.groups), 'rule')} found something: {listed(parts)}."
    worst = found.of("severe")
    if worst:
        names = sorted({name for group in worst for name in group.queue_managers})
        if names:
            of = f" (of {overview.queue_managers})" if overview.queue_managers > len(names) else ""
            text += f" What is severe concerns {listed(names[:6], len(names))}{of}."
        first = worst[0]
        text += f" Worst: {_lowered(first.title)}, in {counted(first.intervals, 'interval')}{_on(first)}."
    else:
        text += " Nothing is severe."
    return text


def _on(group: FindingGroup) -> str:
    if not group.queue_managers:
        return ""
    return f" on {listed(group.queue_managers[:4], group.queue_managers_in_all)}"


def _step(group: FindingGroup) -> str:
    where = _on(group).removeprefix(" on ")
    return f"{where}: {group.advice}" if where else group.advice


def _not_judged(found: Found) -> str:
    if not found.made:
        return ""
    coverage = found.coverage
    silent = coverage.not_evaluated + coverage.no_rows + coverage.too_little
    if not silent:
        return f"All {counted(coverage.evaluated, 'rule')} were evaluated."
    text = (
        f"{counted(coverage.evaluated, 'rule')} were evaluated, {shown(silent)} {'was' if silent == 1 else 'were'} not:"
        " that those are silent says nothing."
    )
    if coverage.too_little:
        text += f" {counted(coverage.too_little, 'rule')} had too little to judge by."
    facts = [each for each in coverage.missing if each.kind == "site fact"]
    if facts:
        text += f" Most wait for these facts of the site: {listed([each.name for each in facts[:4]], len(facts))}."
    return text


def _lowered(title: str) -> str:
    """A heading within a sentence; names in capitals stay."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]
