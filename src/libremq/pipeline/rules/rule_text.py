"""A rule as words: what it says, why, what it looks at, what it needs to speak, and where to look it up."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from libremq.pipeline.rules.demands import SORTS, contradiction_of, demand_of
from libremq.pipeline.rules.rule import Rule
from libremq.pipeline.rules.settings import SETTINGS, SITE_SUBJECTS
from libremq.pipeline.rules.source_sections import DOCUMENT, EDITION, citations

OWN_SOURCE = "our own: the record plainly tells of trouble that the document does not mention"


@cache
def fact_sentences() -> dict[str, str]:
    """What the facts that rules cite say, in our words."""
    text = resources.files("libremq.pipeline.rules").joinpath("facts.tsv").read_text(encoding="utf-8")
    names, sentences = zip(*(line.split("\t", 1) for line in text.splitlines()))
    return dict(zip(names, sentences))


def reasons(rule: Rule) -> list[tuple[str, str]]:
    """The facts that the rule rests on, with what they say where they have words of their own."""
    if rule.fact == "own":
        return []
    return [(fact, fact_sentences().get(fact, "")) for fact in rule.fact.split(", ")]


def sources(rule: Rule) -> list[str]:
    """Sections and pages of the document, such as `"Buffer pool usage", page 19 (L1071)`."""
    return [str(each) for each in citations(rule.lines)]


def inputs(rule: Rule) -> Iterator[tuple[str, str, str]]:
    """What it looks at: name, where it is from, and what it means."""
    from libremq.pipeline.tables.subjects import subject

    for name in dict.fromkeys((*rule.inputs, *rule.weighed)):
        table, _, plain = name.rpartition(".")
        if name in SETTINGS:
            setting = SETTINGS[name]
            yield name, "fact of the site", f"{setting.meaning}{f' ({setting.unit})' if setting.unit else ''}"
        elif rule.subject in SITE_SUBJECTS or plain == "object":
            yield name, "key", "the object that the row is about"
        else:
            column = subject(table or rule.subject).column(plain)
            yield name, column.source or column.expression or "of the interval", column.meaning


def as_content(rule: Rule) -> dict[str, Any]:
    """All of it as plain values, for JSON."""
    demand, contradiction = demand_of(rule), contradiction_of(rule)
    return {
        "id": rule.id,
        "severity": rule.severity,
        "table": rule.subject,
        "over": rule.over or "row",
        "says": rule.advice,
        "when": rule.when,
        "value": rule.value or None,
        "threshold": rule.threshold,
        "kind": demand.sort,
        "needs": demand.words,
        "contradicted_when": contradiction.when if contradiction else None,
        "contradicted_because": contradiction.reason if contradiction else None,
        "inputs": [{"name": n, "from": f, "meaning": m} for n, f, m in inputs(rule)],
        "reasons": [{"fact": fact, "text": text} for fact, text in reasons(rule)],
        "document": None if rule.fact == "own" else f"{DOCUMENT}, {EDITION}",
        "sources": sources(rule),
        "derived": rule.derived,
    }


def rule_lines(rule: Rule) -> Iterator[str]:
    """The rule for a reader."""
    demand, contradiction = demand_of(rule), contradiction_of(rule)
    yield f"{rule.id} ({rule.severity})"
    yield ""
    yield f"Says       {rule.advice}"
    yield f"When       {rule.when}"
    if rule.value:
        yield f"  value      {rule.value}"
    if rule.threshold is not None:
        yield f"  threshold  {rule.threshold} (a site may set its own)"
    yield f"Looks at   {_rows(rule)}"
    yield f"Kind       {demand.sort}: {SORTS[demand.sort]}"
    yield f"Needs      {demand.words}; else there is too little to judge"
    if contradiction:
        yield f"Silent if  {contradiction.when}: {contradiction.reason}"
    yield ""
    yield "Inputs"
    for name, origin, meaning in inputs(rule):
        yield f"  {name}: {meaning} [{origin}]"
    yield ""
    yield "Why"
    for fact, text in reasons(rule):
        yield f"  {fact}: {text or 'a table or figure, see the source'}"
    if rule.fact == "own":
        yield f"  {OWN_SOURCE}"
    if rule.derived:
        yield "  The limit, or part of the formula, is computed from the source's figures or chosen by us."
    if rule.fact != "own":
        yield ""
        yield f"Source     {DOCUMENT}, {EDITION}"
        for source in sources(rule):
            yield f"  {source}"


def _rows(rule: Rule) -> str:
    if rule.subject in SITE_SUBJECTS:
        return f"the facts of the site ({rule.subject})"
    seen = {
        "": "each row", "interval": "all rows of a queue manager's interval",
        "day": "all rows of a queue manager's day",
        "queue manager": "all rows of a queue manager", "object": "all rows of an object",
        "object and day": "all rows of an object on a day",
    }  # fmt: skip
    return f"{seen[rule.over]} of the table {rule.subject}"
