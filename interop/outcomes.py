"""What came out: one line for each test and example, and the count at the end.

What waits for a part of LibreMQ to come is "not yet": the name tells, in a table, or the reason code of the failure.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

PASSED, FAILED, NOT_YET, SKIPPED = "passed", "failed", "not yet", "skipped"
PUBLISH_SUBSCRIBE = "publish/subscribe"

# Tests (file::name) and examples whose subject is a part that is to come; a pattern for each.
_WAITING: tuple[tuple[str, str], ...] = (
    (r"test_pubsub\.py::", PUBLISH_SUBSCRIBE),
    (r"session_\w+\.py::test_(topic|subscription)", PUBLISH_SUBSCRIBE),
    (r"(subscribe|publish_message)\.py$", PUBLISH_SUBSCRIBE),
)
# The reason of an MQMIError that says so by itself.
_WAITING_REASONS = {2298: PUBLISH_SUBSCRIBE}
_REASON = re.compile(r"Reason (\d+)")


@dataclass(frozen=True)
class Outcome:
    group: str
    name: str
    state: str
    why: str = ""
    """The reason of a failure or a skip, or what a test waits for."""


def passed(group: str, name: str) -> Outcome:
    """It passed; of what is about a part to come, "not yet" even so."""
    part = _waits_for(name)
    return Outcome(group, name, PASSED) if part is None else Outcome(group, name, NOT_YET, f"{part} (passes so far)")


def _waits_for(name: str) -> str | None:
    return next((part for pattern, part in _WAITING if re.search(pattern, name)), None)


def failure(group: str, name: str, why: str) -> Outcome:
    """A failure, or "not yet" if it waits for something."""
    part = _waits_for(name)
    if part is None:
        codes = [int(code) for code in _REASON.findall(why)]
        part = next((_WAITING_REASONS[code] for code in codes if code in _WAITING_REASONS), None)
    if part is not None:
        return Outcome(group, name, NOT_YET, f"{part} ({last_line(why)})")
    return Outcome(group, name, FAILED, why)


def last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no output"


def show(outcomes: list[Outcome]) -> None:
    """The table, by group: failures with their reason, what is to come by name, and the count of the rest."""
    for group in dict.fromkeys(outcome.group for outcome in outcomes):
        mine = [outcome for outcome in outcomes if outcome.group == group]
        counts = Counter(outcome.state for outcome in mine)
        print(f"\n{group}: " + ", ".join(f"{counts[state]} {state}" for state in (PASSED, FAILED, NOT_YET, SKIPPED)))
        for state in (FAILED, NOT_YET, SKIPPED):
            for outcome in mine:
                if outcome.state == state:
                    print(f"  {state:<8} {outcome.name}: {last_line(outcome.why)}")
    for outcome in outcomes:
        if outcome.state == FAILED:
            print(f"\n--- {outcome.name}\n{outcome.why}")
    total = Counter(outcome.state for outcome in outcomes)
    print(f"\n{total[NOT_YET]} not yet")
    print(f"{total[PASSED]} passed, {total[FAILED]} failed, {total[SKIPPED]} skipped")
