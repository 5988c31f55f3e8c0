"""Every rule: known inputs, a case in which it fires, one in which it does not, and a source."""

from __future__ import annotations

import ast
import re
from collections import Counter

from helper_rows import over_rows
from libremq.pipeline.rules.expressions import AGGREGATES
from libremq.pipeline.rules.rule import OVER, SEVERITIES, Rule, judge, pieces
from libremq.pipeline.rules.rule_catalogue import BY_ID, RULES, columns_of, joins_of
from libremq.pipeline.rules.settings import SETTINGS
from libremq.pipeline.tables.subjects import SUBJECTS

every_rule = over_rows("rule", RULES, ids=lambda rule: rule.id)


@every_rule
def test_a_rule_fires_in_one_case_and_not_in_the_other(rule: Rule) -> None:
    assert judge(rule, rule.fires).fires is True
    assert judge(rule, rule.quiet).fires is False


@every_rule
def test_cases_give_all_inputs_and_nothing_else(rule: Rule) -> None:
    for case in (rule.fires, rule.quiet):
        for row in case if isinstance(case, tuple) else (case,):
            assert set(rule.inputs) <= set(row)
            assert set(row) <= {*rule.inputs, *rule.told}


@every_rule
def test_inputs_are_columns_or_declared_facts(rule: Rule) -> None:
    for name in (*rule.inputs, *rule.told):
        if "." in name:
            subject, column = name.split(".")
            assert column in columns_of(subject)
            assert joins_of(rule.subject, subject)
        else:
            assert name in columns_of(rule.subject) or name in SETTINGS, name


@every_rule
def test_a_rule_over_rows_names_single_rows_only_inside_aggregates(rule: Rule) -> None:
    trees = [expression.tree for expression in rule.expressions().values()]
    trees += [piece.expression.tree for piece in pieces(rule.advice) if piece.expression]
    outside = {name for tree in trees for name in _outside_aggregates(tree)}
    assert rule.over in OVER
    assert any(expression.aggregates for expression in rule.expressions().values()) == bool(rule.over)
    if rule.over:
        assert outside <= {*SETTINGS, "value", "threshold", "object", "qmgr"}


def _outside_aggregates(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        if node.func.id in AGGREGATES:
            return set()
        parts: list[ast.AST] = [*node.args, *(keyword.value for keyword in node.keywords)]
        return {name for part in parts for name in _outside_aggregates(part)}
    if isinstance(node, ast.Name):
        return {node.id}
    return {name for part in ast.iter_child_nodes(node) for name in _outside_aggregates(part)}


@every_rule
def test_a_rule_says_where_it_comes_from_and_what_to_do(rule: Rule) -> None:
    assert rule.severity in SEVERITIES
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.id)
    assert rule.lines == "own" or all(re.fullmatch(r"L\d+(-L\d+)?", part) for part in rule.lines.split(", "))
    assert (rule.lines == "own") == (rule.fact == "own")
    told = judge(rule, rule.fires).advice
    assert told.endswith((".", "?", ")")), told
    assert "{" not in told


def test_ids_are_unique_and_all_subjects_with_diagnostic_use_have_rules() -> None:
    assert len(BY_ID) == len(RULES) > 300
    by_subject = Counter(rule.subject for rule in RULES)
    without = {"queue_manager_interval", "storage_pool", "task_summary"}
    assert {name for name in SUBJECTS if name not in by_subject} == without


def test_every_declared_fact_is_used_and_none_hides_a_column() -> None:
    used = {name for rule in RULES for name in (*rule.inputs, *rule.told)}
    assert set(SETTINGS) <= used
    assert not set(SETTINGS) & {column.name for subject in SUBJECTS.values() for column in subject.all_columns}


def test_a_missing_input_leaves_a_rule_undecided() -> None:
    rule = BY_ID["pool-nearly-full"]
    assert judge(rule, {"stealable_lowest_pct": None}).fires is None


def test_a_site_may_set_its_own_threshold() -> None:
    rule = BY_ID["pool-nearly-full"]
    assert judge(rule, {"stealable_lowest_pct": 8.0, "buffer_pool": 1}).fires is False
    assert judge(rule, {"stealable_lowest_pct": 8.0, "buffer_pool": 1}, threshold=10).fires is True


def test_the_bad_buffer_pool_of_the_source_gives_its_findings() -> None:
    problem = {
        "buffer_pool": 0, "pool_role": None, "buffers": 1050, "stealable_lowest_pct": 14.7, "stealable_pct": 21.4,
        "pages_read": 310000, "deferred_write_starts": 11, "synchronous_write_limit_hits": 0, "buffers_stolen": 732000,
        "steal_contentions": 421000, "no_buffer_suspensions": 0,
    }  # fmt: skip
    before = {
        **problem, "stealable_lowest_pct": 28.6, "stealable_pct": 29.3, "pages_read": 0, "deferred_write_starts": 0,
        "buffers_stolen": 84, "steal_contentions": 0,
    }  # fmt: skip
    rules = [rule for rule in RULES if rule.subject == "buffer_pool" and set(rule.inputs) <= set(problem)]
    assert {rule.id for rule in rules if judge(rule, problem).fires} == {
        "pool-system-short-of-buffers",
        "pool-contention-for-buffers",
        "pool-deferred-writes-in-critical-pool",
        "pool-reads-in-critical-pool",
        "pool-newly-used-buffers",
        "pool-deferred-writes-not-catching-up",
        "pool-contention-ratio",
    }
    assert {rule.id for rule in rules if judge(rule, before).fires} == {"pool-newly-used-buffers"}
