"""What lies beyond the measurements of the source says so, and LOGLOAD counts only where it comes before the switch."""

from __future__ import annotations

from libremq.pipeline.models.loaded_models import known_models
from libremq.pipeline.planner.plan import Value
from libremq.pipeline.planner.plan_catalogue import PLANS
from libremq.pipeline.planner.showing import as_dict, as_text
from libremq.pipeline.planner.working import Source, Worked, work_out
from libremq.pipeline.questions.ask import ask
from libremq.pipeline.questions.question_catalogue import question
from libremq.pipeline.rules.measured_ranges import MEASURED


def worked(name: str, **values: Value) -> Worked:
    return work_out(PLANS[name], Source("given", values))


def test_ranges_are_of_models_and_their_parameters() -> None:
    import inspect

    for name, each in MEASURED.items():
        assert each.parameter in inspect.signature(known_models()[name].function).parameters
        assert each.lowest < each.highest


def test_restart_is_of_what_one_log_holds_when_the_switch_comes_first() -> None:
    load: dict[str, Value] = {
        "log_dataset_mb": 500, "log_mb_per_second_peak": 50, "transactions_per_second": 100,
        "log_writes_per_transaction": 31,
    }  # fmt: skip
    found = worked("checkpoint", logload=4_000_000, **load)
    # The log is full after 10 s, with 1,000 transactions in it: LOGLOAD of 4 million is never reached.
    assert found.values["between"] == 10
    assert found.values["transactions"] == 1000
    assert round(found.values["restart"], 1) == 14.0
    assert "The log switch makes the checkpoints" in as_text(found)
    assert "extrapolated" not in as_text(found)
    slow = worked("checkpoint", **{**load, "logload": 450_000, "log_mb_per_second_peak": 0.1})
    assert slow.values["transactions"] == 14_516


def test_what_is_beyond_the_measurements_is_marked_with_their_range() -> None:
    found = worked(
        "checkpoint", logload=16_000_000, log_dataset_mb=4096, log_mb_per_second_peak=0.1, transactions_per_second=100,
        log_writes_per_transaction=31,
    )  # fmt: skip
    text = " ".join(as_text(found).split())
    assert "extrapolated: the source measured 0 to 10,000 transactions" in text
    assert "extrapolated, with the transactions" in text
    (step,) = [step for step in as_dict(found)["steps"] if step["name"] == "restart"]
    assert step["extrapolated"]


def test_the_question_for_the_restart_time_says_so_too() -> None:
    given = {"logload": 16_000_000.0, "log_writes_per_transaction_typical": 31.0}
    answer = ask(question("restart-time"), arguments=given)
    assert "extrapolated: the source measured 0 to 10,000 transactions" in answer.as_text()
    near = ask(question("restart-time"), arguments={**given, "logload": 300_000.0})
    assert "extrapolated" not in near.as_text()


def test_gets_that_commit_separately_are_no_part_of_a_commit_of_puts() -> None:
    found = worked("uow", message_bytes=1000, messages_per_commit=100)
    values = found.values
    assert values["logged_puts"] + values["logged_gets"] == values["logged"]
    assert 0 < values["logged_gets"] < values["logged_puts"]
    assert found.answer.value == values["logged_puts"]
