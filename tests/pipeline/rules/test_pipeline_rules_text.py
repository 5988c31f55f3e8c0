"""`libremq pipeline rule ID`: a rule in words, with sources that anybody can look up."""

from __future__ import annotations

import subprocess
import sys

from helper_rows import over_rows
from libremq.pipeline.rules.rule import Rule
from libremq.pipeline.rules.rule_catalogue import RULES
from libremq.pipeline.rules.rule_text import as_content, fact_sentences, reasons, rule_lines, sources
from libremq.pipeline.rules.source_sections import citations, section_of, sections

every_rule = over_rows("rule", RULES, ids=lambda rule: rule.id)


@every_rule
def test_every_source_has_a_section_and_a_page(rule: Rule) -> None:
    if rule.lines == "own":
        assert not sources(rule)
        return
    cited = ", ".join(each.lines for each in citations(rule.lines))
    assert sorted(cited.split(", ")) == sorted(rule.lines.split(", "))
    assert all(each.section.page > 0 and each.section.title for each in citations(rule.lines))


@every_rule
def test_every_rule_has_words_for_what_it_looks_at(rule: Rule) -> None:
    text = "\n".join(rule_lines(rule))
    assert all(name in text for name in rule.inputs)
    assert "too little to judge" in text
    assert as_content(rule)["id"] == rule.id


def test_sections_are_in_order_and_pages_do_not_go_back() -> None:
    lines = [section.first_line for section in sections()]
    pages = [section.page for section in sections()]
    assert lines == sorted(lines)
    assert pages == sorted(pages)
    found = section_of(1071)
    assert found is not None
    assert (found.title, found.page) == ("Buffer pool usage", 19)
    assert section_of(1) is None


def test_nearly_all_facts_have_words() -> None:
    facts = {fact for rule in RULES for fact, _ in reasons(rule)}
    assert len(facts - set(fact_sentences())) < 30
    assert all("\t" not in text and len(text) > 10 for text in fact_sentences().values())


def test_the_command_shows_a_rule_and_names_what_is_near() -> None:
    command = [sys.executable, "-c", "from libremq.commands.main import main; raise SystemExit(main())", "pipeline"]
    shown = subprocess.run([*command, "rule", "log-checkpoints-often"], capture_output=True, text=True, check=True)
    assert '"Impact of LOGLOAD on workload", page 43' in shown.stdout
    wrong = subprocess.run([*command, "rule", "log-checkpoint-often"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "log-checkpoints-often" in wrong.stderr
