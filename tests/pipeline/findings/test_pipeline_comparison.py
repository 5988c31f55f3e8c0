"""Two periods side by side: findings that are new, gone or worse, and differences that are noise."""

from __future__ import annotations

import pytest

from libremq.pipeline.comparison import Comparison, Found, Period, as_lines, figures_compared, findings_compared


def found(rule: str, value: float | None = None, qmgr: str = "QM01", severity: str = "warning") -> Found:
    return Found(rule, severity, qmgr, None, 3, value, None if value is None else 10.0, f"advice of {rule}")


def test_periods_are_read_and_wrong_ones_named() -> None:
    period = Period.of("2026-02-27..2026-03-02")
    assert period.days == ("2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02")
    assert Period.of("2026-03-01").days == ("2026-03-01",)
    for text, told in (("2026-03-02..2026-03-01", "end is before"), ("last week", "written as")):
        with pytest.raises(ValueError, match=told):
            Period.of(text)


def test_findings_are_new_gone_worse_better_or_as_before() -> None:
    before = [found("a", 12), found("b", 20), found("c", 40), found("d"), found("e", 20)]
    after = [found("a", 12.1), found("b", 60), found("c", 11), found("d"), found("f", 1, severity="severe")]
    changes = {each.found.rule: each.change for each in findings_compared(before, after)}
    assert changes == {"f": "new", "b": "worse", "e": "gone", "c": "better", "a": "as before", "d": "as before"}
    assert [each.change for each in findings_compared(before, after)][:3] == ["new", "worse", "gone"]


def test_one_object_of_two_queue_managers_is_two() -> None:
    changes = findings_compared([found("a", qmgr="QM01")], [found("a", qmgr="QM02")])
    assert [each.change for each in changes] == ["new", "gone"]


def test_a_difference_is_told_from_noise_and_from_too_little() -> None:
    name, key = "messages put", ("QM01", "messages put")
    usual = [100.0, 104.0, 97.0, 101.0, 99.0, 103.0]
    cases = {
        "more": [130.0, 127.0, 133.0, 129.0],
        "less": [70.0, 72.0, 69.0, 71.0],
        "noise": [102.0, 98.0, 105.0, 97.0],
        "too little to judge": [150.0, 160.0],
    }
    for verdict, days in cases.items():
        (figure,) = figures_compared({key: usual}, {key: days})
        assert (figure.figure, figure.verdict) == (name, verdict)
    (figure,) = figures_compared({key: [5.0] * 4}, {key: [5.0] * 4})
    assert figure.verdict == "noise"
    assert figures_compared({key: usual}, {}) == ()


def test_the_text_names_what_changed_and_not_what_did_not() -> None:
    key = ("QM01", "log data")
    comparison = Comparison(
        Period.of("2026-03-01..2026-03-07"),
        Period.of("2026-03-08..2026-03-14"),
        findings_compared([found("a", 12), found("gone-rule", 12)], [found("a", 12), found("b", 20)]),
        figures_compared({key: [1.0, 1.1, 0.9]}, {key: [2.0, 2.1, 1.9]}),
        ("QM09",),
    )
    text = "\n".join(as_lines(comparison))
    assert "1 new, 0 worse, 1 gone, 0 better, 1 as before" in text
    assert "NEW     warning QM01: b" in text
    assert "QM01 log data: 1 to 2 MB/s, +100 %: more" in text
    assert "QM01: a" not in text
    assert "not compared: QM09" in text
    assert comparison.as_dict()["figures"][0]["percent"] == pytest.approx(100)
