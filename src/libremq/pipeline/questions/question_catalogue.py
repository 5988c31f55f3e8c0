"""All questions, by subject: to list, to search, to fetch by id."""

from __future__ import annotations

from collections.abc import Sequence

from libremq.pipeline.questions.data import (
    applications_questions,
    channel_initiator_questions,
    channels_questions,
    devices_questions,
    log_questions,
    offload_questions,
    pages_questions,
    queue_manager_questions,
    recovery_questions,
    sharing_questions,
)
from libremq.pipeline.questions.question import Question

SUBJECTS: dict[str, tuple[Question, ...]] = {
    "Log": log_questions.QUESTIONS,
    "Log devices, encryption, lost data": devices_questions.QUESTIONS,
    "Page sets and buffer pools": pages_questions.QUESTIONS,
    "Backup, restart, recovery": recovery_questions.QUESTIONS,
    "Trace, indexes, storage": queue_manager_questions.QUESTIONS,
    "Queue sharing": sharing_questions.QUESTIONS,
    "Large shared messages": offload_questions.QUESTIONS,
    "Channel initiator": channel_initiator_questions.QUESTIONS,
    "Channels and TLS": channels_questions.QUESTIONS,
    "Applications, IMS bridge, machines": applications_questions.QUESTIONS,
}

QUESTIONS: tuple[Question, ...] = tuple(question for group in SUBJECTS.values() for question in group)

BY_ID: dict[str, Question] = {question.id: question for question in QUESTIONS}
BY_SOURCE: dict[str, Question] = {question.source: question for question in QUESTIONS}


def question(name: str) -> Question:
    """The question of that id, or of its place in the sources (1/Q-06); ValueError names ones that are near."""
    import difflib

    if name in BY_ID:
        return BY_ID[name]
    if name in BY_SOURCE:
        return BY_SOURCE[name]
    near = difflib.get_close_matches(name, BY_ID) or [each.id for each in find_questions(name.replace("-", " "))[:3]]
    hint = f"near it: {', '.join(near)}" if near else "`libremq pipeline ask --list` shows all"
    raise ValueError(f"no question is called {name!r}; {hint}")


def find_questions(words: str) -> tuple[Question, ...]:
    """Questions in which all words stand: in id, text, rules, inputs, tables or what is known. Best first."""
    wanted = words.lower().split()

    def place(asked: Question) -> int:
        heading = f"{asked.id} {asked.text}".lower()
        rest = " ".join((*asked.rules, *asked.inputs, *asked.tables, *asked.known)).lower()
        if not all(word in heading or word in rest for word in wanted):
            return -1
        return sum(word in heading for word in wanted)

    found = [(place(asked), asked) for asked in QUESTIONS]
    ordered = sorted((each for each in found if each[0] >= 0), key=lambda each: -each[0])
    return tuple(asked for _, asked in ordered)


def listing(questions: Sequence[Question] | None = None) -> str:
    """Questions by subject, with id and text, for a terminal; all of them, or those given."""
    wanted = {asked.id for asked in (QUESTIONS if questions is None else questions)}
    width = max((len(name) for name in wanted), default=0)
    lines: list[str] = []
    for subject, group in SUBJECTS.items():
        shown = [f"  {asked.id.ljust(width)}  {asked.text}" for asked in group if asked.id in wanted]
        if shown:
            lines += [*([""] if lines else []), subject, *shown]
    return "\n".join(lines)
