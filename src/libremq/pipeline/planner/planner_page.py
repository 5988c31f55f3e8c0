"""The page of the planner, made from the plans.

Write it with `python -m libremq.pipeline.planner.planner_page > docs/pipeline/planner.md`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from libremq.pipeline.models.loaded_models import known_models
from libremq.pipeline.planner.plan import Input, Plan, Step, Value
from libremq.pipeline.planner.plan_catalogue import PLANS
from libremq.pipeline.planner.reading import read_value
from libremq.pipeline.planner.showing import as_text, told
from libremq.pipeline.planner.working import Source, work_out
from libremq.pipeline.rules.expressions import parse

_INTRODUCTION = """\
# Planner

<!-- Made from the data: python -m libremq.pipeline.planner.planner_page > docs/pipeline/planner.md -->

`libremq plan` answers sizing questions: how many active logs, how large a page set, a structure or a buffer pool, how
long a restart, how many channels, which processors. Each answer comes with its inputs and where they came from, the
formula of each step, the lines of the source it rests on, the margin that the source advises, and what to watch.

```
libremq plan                    # the plans
libremq plan log --help         # what the plan of logs wants to know, with an example
libremq plan log --message-bytes 5000 --messages-per-second 200
libremq plan log --message-bytes 5000 --messages-per-second 200 --json
```

## Where inputs come from

The command line goes before a file, the file before measured tables, those before defaults.

* **Command line**: one option for each input. Numbers take `k`, `M`, `G`, `T`. Of sizes these are the size itself, in
  binary: `--log-dataset-mb 4G` is 4096 MB, `--message-bytes 5k` is 5120 bytes. Of counts they are decimal factors:
  `--users 10k` is 10,000. A flag is `--mirrored` or `--mirrored no`. A log address is hexadecimal, as in messages.
* **File**: `--from workload.yaml`, or JSON in a file that ends in `.json`. Keys are the names of inputs. A name means
  the same in every plan, so one file serves several; what is for one plan only stands under its name. A key that no
  plan knows is refused, with names that are near.

  ```yaml
  message_bytes: 5k
  messages_per_second: 200
  log_dataset_mb: 4G
  restart:
    checkpoints_per_log: 3
  ```
* **Measured**: `--tables ROOT` takes what is left from the conformed tables of a site ([tables](tables.md)), over all
  queue managers, or of one with `--qmgr QM01`. This needs Spark (`pip install 'libremq[pipeline]'`); nothing else does.
* **Default**: where there is a usual value. `libremq plan PLAN --help` has it.

Some plans take either of two groups of inputs, such as a message size and a rate, or the log rate itself. A group that
was given keeps out the other: who gives a message size and a rate plans that, not the log rate of the tables.

An input that is missing, negative, out of range or no number is one line on standard error, and exit code 2. A step for
which something optional is missing is listed as not worked out, with the option to give.

## What the answers are worth

Figures are those of the source's machines and releases. Steps marked *(derived)* use a model that was computed from the
source's figures and not stated by it; [models](models.md) sets all models beside the figures of the source. Times of
restart and recovery are orders of magnitude. Where the source states no margin, the plan says so.

From Python:

```python
from libremq.pipeline.planner.plan_catalogue import PLANS
from libremq.pipeline.planner.working import Source, work_out

worked = work_out(PLANS["pageset"], Source("mine", {"message_bytes": 3000.0, "messages_at_once": 720_000.0}))
print(worked.answer.value, worked.answer.step.unit)
```
"""


def planner_page() -> str:
    """The whole page as Markdown."""
    return "\n".join([_INTRODUCTION, *_lines()]) + "\n"


def example_of(plan: Plan) -> dict[str, Value]:
    """The inputs of a plan's example."""
    words = shlex.split(plan.example)
    options = {each.option: each for each in plan.inputs}
    return {options[name].name: read_value(options[name], text) for name, text in zip(words[::2], words[1::2])}


def _lines() -> Iterator[str]:
    shown = PLANS["pageset"]
    yield "## An answer"
    yield ""
    yield "```"
    yield f"$ libremq plan {shown.name} {shown.example}"
    yield as_text(work_out(shown, Source("command line", example_of(shown)))) + "```"
    yield ""
    yield "## Plans"
    yield ""
    yield "| Plan | What it answers |"
    yield "|---|---|"
    yield from (f"| [`{plan.name}`](#{plan.name}) | {plan.title} |" for plan in PLANS.values())
    for plan in PLANS.values():
        yield from _plan(plan)


def _plan(plan: Plan) -> Iterator[str]:
    yield ""
    yield f"### {plan.name}"
    yield ""
    yield f"{plan.title}."
    yield ""
    yield f"`libremq plan {plan.name} {plan.example}`"
    yield ""
    source = f" [{plan.margin.fact} {plan.margin.lines}]" if plan.margin.fact else ""
    yield f"Margin: {plan.margin.text}{source}"
    yield ""
    yield "<details><summary>Inputs and steps</summary>"
    yield ""
    yield "| Input | Unit | Meaning | Unless given | Measured |"
    yield "|---|---|---|---|---|"
    yield from (_input(plan, each) for each in plan.inputs)
    yield ""
    yield "| Step | Formula | Unit | Fact and lines |"
    yield "|---|---|---|---|"
    yield from (_step(plan, step) for step in plan.steps)
    yield ""
    yield "</details>"


def _input(plan: Plan, each: Input) -> str:
    if each.required:
        unless = "required"
    elif each.default is not None:
        unless = told(each.default, "")
    else:
        unless = "one group is required" if any(each.name in group for group in plan.needs) else "left out"
    measured = f"`{each.aggregate}` of `{each.table}`" if each.measured else ""
    return _row(f"`{each.name}`", each.unit, each.meaning, unless, measured)


def _step(plan: Plan, step: Step) -> str:
    models = [known_models()[name] for name in parse(step.expression).models]
    sources = [f"{each.fact} {each.lines}{' (derived)' if each.derived else ''}" for each in models]
    label = f"**{step.label}**" if step.name == plan.answer else step.label
    return _row(label, f"`{step.name} = {step.expression}`", step.unit, "; ".join(dict.fromkeys(sources)))


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    print(planner_page(), end="")
