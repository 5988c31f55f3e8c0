"""The page of all rules, made from the data.

Write it with `python -m libremq.pipeline.rules.rules_reference > docs/pipeline/rules.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

from libremq.pipeline.rules.demands import CONTRADICTIONS, DEFAULTS, SORTS, Demand, demand_of
from libremq.pipeline.rules.left_out import FORMULAS_ONLY, LANGUAGE_LIMITS, NOT_EXPRESSED
from libremq.pipeline.rules.rule import SEVERITIES, Rule
from libremq.pipeline.rules.rule_catalogue import RULES
from libremq.pipeline.rules.settings import OBJECT_KINDS, SETTINGS
from libremq.pipeline.rules.source_sections import DOCUMENT, EDITION, citations


def rules_page() -> str:
    """The whole page as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    counts = ", ".join(f"{sum(rule.severity == each for rule in RULES)} {each}" for each in SEVERITIES)
    derived = sum(rule.derived for rule in RULES)
    own = sum(rule.fact == "own" for rule in RULES)
    yield "# Rules"
    yield ""
    yield "<!-- Made from the data: python -m libremq.pipeline.rules.rules_reference > docs/pipeline/rules.md -->"
    yield ""
    yield (
        f"{len(RULES)} rules ({counts}) are evaluated over the conformed tables and the facts of a site. `L1234` is the"
        f" line of the source, `R-...` the fact. {derived} are derived: the limit, or part of the formula, is computed"
        f" from the source's figures or chosen by us where it says only `high` or `many`. {own} are our own, where a"
        " record plainly tells of trouble that the source does not mention. A site may set its own threshold for any."
    )
    yield ""
    yield (
        "A rule whose inputs are missing is listed as not evaluated, with the table, column or site fact it lacks; rows"
        " on which a value is unknown are counted and not judged. Each rule also needs enough to judge by: the time of"
        " records and the number of events under `Needs`. Where that is not there, or a row contradicts the rule (see"
        " below), it stays silent, and `--coverage` counts the rows."
    )
    yield ""
    yield (
        f"The source is {DOCUMENT}, {EDITION}. `libremq pipeline rule ID` shows a rule with its reasons in words, its"
        " inputs, and section and page of each line."
    )
    yield ""
    yield "## What rules need"
    yield ""
    yield "| Kind | What it states | Needs, unless the rule has its own |"
    yield "|---|---|---|"
    yield from (f"| {sort} | {SORTS[sort]} | {_needs(demand)} |" for sort, demand in DEFAULTS.items())
    yield ""
    yield "## What contradicts a rule"
    yield ""
    yield "| Rule | Silent where | Because |"
    yield "|---|---|---|"
    yield from (f"| `{rule}` | `{each.when}` | {each.reason} |" for rule, each in CONTRADICTIONS.items())
    for subject in dict.fromkeys(rule.subject for rule in RULES):
        yield ""
        yield f"## {subject}"
        yield ""
        yield "| Rule | Severity | Fires when | Over | Needs | Fact | Pages (lines) |"
        yield "|---|---|---|---|---|---|---|"
        yield from (_row(rule) for rule in RULES if rule.subject == subject)
    yield ""
    yield "## Facts of the site"
    yield ""
    kinds = ", ".join(f"`{kind}`" for kind in OBJECT_KINDS)
    yield f"Given for the site, a queue manager, or an object ({kinds}). Rules that lack one are not evaluated."
    yield ""
    yield "| Fact | Kind | Unit or words | Meaning |"
    yield "|---|---|---|---|"
    for setting in sorted(SETTINGS.values(), key=lambda each: each.name):
        yield f"| `{setting.name}` | {setting.kind} | {setting.unit} | {setting.meaning} |"
    yield ""
    yield "## What is no rule"
    yield ""
    yield f"Formulas without a condition are models: {', '.join(FORMULAS_ONLY)}."
    yield ""
    yield from (f"- {fact}: {reason}." for fact, reason in NOT_EXPRESSED.items())
    yield ""
    yield "Limits of the language of conditions:"
    yield ""
    yield from (f"- {limit}" for limit in LANGUAGE_LIMITS)


def _row(rule: Rule) -> str:
    condition = rule.when
    if rule.value:
        condition += f"; value: {rule.value}"
    if rule.threshold is not None:
        condition += f"; threshold: {rule.threshold}"
    fact = rule.fact + (" (derived)" if rule.derived else "")
    demand = demand_of(rule)
    needs = f"{demand.sort}: {demand.words}" if demand.words != DEFAULTS[demand.sort].words else demand.sort
    pages = ", ".join(dict.fromkeys(str(each.section.page) for each in citations(rule.lines)))
    source = f"p. {pages} ({rule.lines})" if pages else rule.lines
    cells = (f"`{rule.id}`", rule.severity, f"`{condition}`", rule.over or "row", needs, fact, source)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _needs(demand: Demand) -> str:
    return f"{demand.count:,.0f} of what the share is of, {demand.words}" if demand.sort == "share" else demand.words


if __name__ == "__main__":
    print(rules_page(), end="")
