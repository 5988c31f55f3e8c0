"""Answer a question: from what the asker gives, facts of the site, and measured tables where there are some.

However many inputs and tables a question has, its inputs take one Spark job, its rules two or three, and each table it
shows one; rules about the site's facts, and figures from what is given, take none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from libremq.pipeline.questions.answer import Answer, Used, WorkedOut
from libremq.pipeline.questions.judged import judged
from libremq.pipeline.questions.question import Figure, Question
from libremq.pipeline.questions.question_inputs import checked
from libremq.pipeline.questions.question_tables import Frames, measured_inputs, shown_rows
from libremq.pipeline.rules.expressions import parse
from libremq.pipeline.rules.measured_ranges import extrapolations
from libremq.pipeline.rules.settings import SETTINGS
from libremq.pipeline.rules.site_facts import SiteFacts, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def ask(
    question: Question,
    tables: Frames | None = None,
    site: SiteFacts | None = None,
    arguments: Mapping[str, object] | None = None,
    qmgr: str | None = None,
) -> Answer:
    """Answer from what there is: `arguments` first, then facts of the site, then what the tables tell.

    Arguments that are facts of the site hold for its rules too. `qmgr` narrows the tables to one queue manager; without
    it, inputs are taken over all of them. ValueError names an argument that cannot be used.
    """
    given = checked(arguments or {})
    facts = _with(site or SiteFacts(), given)
    frames = {name: _narrowed((tables or {})[name], qmgr) for name in question.tables if name in (tables or {})}
    known: dict[str, Used] = {name: Used(value, "given") for name, value in given.items()}
    for name in question.inputs:
        value = facts.value(name, qmgr)
        if name not in known and value is not None:
            known[name] = Used(value, "site")
    wanted = [name for name in question.measured if name not in known]
    told, measured = measured_inputs(wanted, frames)
    known |= told
    return Answer(
        question,
        tuple(_worked_out(figure, known) for figure in question.figures),
        judged(question.rules, frames, facts, qmgr),
        tuple(shown_rows(rows, frames) for rows in question.rows),
        measured,
        bool(tables),
    )


def _with(site: SiteFacts, given: Mapping[str, Value]) -> SiteFacts:
    """The site's facts with those given in place of what they say, whomever they say it of."""
    own = {name: value for name, value in given.items() if name in SETTINGS}
    return replace(
        site,
        everywhere={**site.everywhere, **own},
        queue_managers={name: {**facts, **own} for name, facts in site.queue_managers.items()},
        objects=tuple(replace(each, values={**each.values, **own}) for each in site.objects),
    )


def _narrowed(frame: DataFrame, qmgr: str | None) -> DataFrame:
    return frame if qmgr is None else frame.where(frame["qmgr"] == qmgr)


def _worked_out(figure: Figure, known: Mapping[str, Used]) -> WorkedOut:
    names = parse(figure.expression).names
    inputs = {name: known[name] for name in names if name in known}
    missing = tuple(name for name in names if name not in known)
    if missing:
        return WorkedOut(figure, None, inputs, missing)
    values = {name: used.value for name, used in inputs.items()}
    value = parse(figure.expression).on(values)
    if isinstance(value, float) and not math.isfinite(value):
        value = None
    return WorkedOut(figure, value, inputs, extrapolated=extrapolations(parse(figure.expression).tree, values))
