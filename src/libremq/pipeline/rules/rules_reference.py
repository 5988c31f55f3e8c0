"""The page of all rules, made from the data.

Write it with `python -m libremq.pipeline.rules.rules_reference > docs/pipeline/rules.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

from libremq.pipeline.rules.left_out import FORMULAS_ONLY, LANGUAGE_LIMITS, NOT_EXPRESSED
from libremq.pipeline.rules.rule import SEVERITIES, Rule
from libremq.pipeline.rules.rule_catalogue import RULES
from libremq.pipeline.rules.settings import OBJECT_KINDS, SETTINGS


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
        " on which a value is unknown are counted and not judged."
    )
    for subject in dict.fromkeys(rule.subject for rule in RULES):
        yield ""
        yield f"## {subject}"
        yield ""
        yield "| Rule | Severity | Fires when | Over | Fact | Lines |"
        yield "|---|---|---|---|---|---|"
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
    cells = (f"`{rule.id}`", rule.severity, f"`{condition}`", rule.over or "row", fact, rule.lines)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    print(rules_page(), end="")
