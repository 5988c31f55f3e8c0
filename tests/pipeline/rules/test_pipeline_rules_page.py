"""The page of rules is what the data says, and what was left out is left out."""

from __future__ import annotations

import re
from pathlib import Path

from libremq.pipeline.rules.left_out import FORMULAS_ONLY
from libremq.pipeline.rules.rule_catalogue import RULES
from libremq.pipeline.rules.rules_reference import rules_page

PAGE = Path(__file__).parents[3] / "docs" / "pipeline" / "rules.md"


def test_the_page_is_up_to_date() -> None:
    how = "run python -m libremq.pipeline.rules.rules_reference > docs/pipeline/rules.md"
    assert PAGE.read_text("utf-8") == rules_page(), how


def test_facts_said_to_be_formulas_only_have_no_rule() -> None:
    stated = {fact.strip() for rule in RULES for fact in rule.fact.split(",")}
    assert not stated & set(FORMULAS_ONLY)


def test_what_the_source_has_wrong_is_not_encoded() -> None:
    said = " ".join(f"{rule.when} {rule.value} {rule.threshold} {rule.advice}" for rule in RULES)
    # Figures that the source's own arithmetic contradicts, such as 855 MB for 885 and 19 KB for 56 over 4.
    for wrong in (r"\b855\b", r"\b21\.25\b", r"\b19 KB", r"14,310", r"43,610", r"\b3697\b"):
        assert not re.search(wrong, said)
