"""The page of all questions, made from the data.

Write it with `python -m libremq.pipeline.questions.questions_page > docs/pipeline/questions.md`.
"""

from __future__ import annotations

from collections.abc import Iterator

from libremq.pipeline.questions.question import Question
from libremq.pipeline.questions.question_catalogue import QUESTIONS, SUBJECTS
from libremq.pipeline.questions.question_inputs import INPUTS
from libremq.pipeline.questions.question_text import command_line


def questions_page() -> str:
    """The whole page as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Questions"
    yield ""
    yield "<!-- Made from the data: python -m libremq.pipeline.questions.questions_page"
    yield "     > docs/pipeline/questions.md -->"
    yield ""
    yield (
        f"{len(QUESTIONS)} questions that performance analysts ask, each answered by one command:"
        " `libremq pipeline ask ID`. `libremq pipeline ask --list` lists them."
    )
    yield ""
    yield (
        "An answer has what is known without measuring, figures worked out by models, findings of rules, and rows of"
        " the conformed tables. Inputs of figures are given as `name=value`; those that are not come from the facts of"
        " the site, else, where the list of inputs says so, from the tables. What is lacking is said, with how to give"
        " it. `L1234` is the line of the source, `1/Q-06` the number of the question there."
    )
    for subject, group in SUBJECTS.items():
        yield ""
        yield f"## {subject}"
        for asked in group:
            yield ""
            yield from _question(asked)
    yield ""
    yield "## Inputs"
    yield ""
    yield "| Input | Unit or words | Meaning | Measured by |"
    yield "|---|---|---|---|"
    for name in sorted(INPUTS):
        described = INPUTS[name]
        unit = "yes or no" if described.kind == "flag" else described.unit
        measured = f"`{described.measured}`" if described.measured else ""
        yield f"| `{name}` | {unit} | {described.meaning} | {measured} |"


def _question(asked: Question) -> Iterator[str]:
    yield f"### {asked.id}"
    yield ""
    yield f"{asked.text} ({asked.source}, {asked.lines})"
    if asked.known:
        yield ""
        yield from (f"- {text}" for text in asked.known)
    if asked.figures:
        yield ""
        yield "| Figure | Unit | Worked out by |"
        yield "|---|---|---|"
        for figure in asked.figures:
            derived = " (derived)" if figure.derived else ""
            yield f"| {figure.label} | {figure.unit}{derived} | `{figure.expression}` |"
    if asked.rows:
        yield ""
        yield f"Tables shown: {', '.join(f'`{name}`' for name in dict.fromkeys(rows.table for rows in asked.rows))}."
    if asked.rules:
        yield ""
        yield f"Rules: {', '.join(f'`{name}`' for name in asked.rules)}."
    if asked.inputs:
        yield ""
        yield "```"
        yield command_line(asked)
        yield "```"


if __name__ == "__main__":
    print(questions_page(), end="")
