"""All questions in one list."""

from __future__ import annotations

from libremq.pipeline.questions.data import channels, devices, inside, log, queue_manager, sharing
from libremq.pipeline.questions.question import Question

QUESTIONS: tuple[Question, ...] = (
    *log.QUESTIONS,
    *queue_manager.QUESTIONS,
    *inside.QUESTIONS,
    *devices.QUESTIONS,
    *sharing.QUESTIONS,
    *channels.QUESTIONS,
)

BY_ID: dict[str, Question] = {question.id: question for question in QUESTIONS}


def question(name: str) -> Question:
    """The question of that id; ValueError names ones that are near."""
    import difflib

    if name in BY_ID:
        return BY_ID[name]
    near = difflib.get_close_matches(name, BY_ID) or ["see the list"]
    raise ValueError(f"no question {name!r}; {', '.join(near)}")
