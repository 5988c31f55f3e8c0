"""The state of a queue manager against a naive model: queues, units of work, cursors, locks, marks, groups, tokens.

A short run of the model tests, for whoever changes this room: tests/model has the machines, and long runs of them.
"""

from __future__ import annotations

from hypothesis import settings
from test_model_stateful import STEPS, Groups, Messages

_SHORT = settings(settings.default, max_examples=25, stateful_step_count=STEPS)


class _Messages(Messages):
    """A class of its own: what is set for its cases is not set for those of the long run."""


class _Groups(Groups):
    pass


TestMessages = _Messages.TestCase
TestMessages.settings = _SHORT
TestGroups = _Groups.TestCase
TestGroups.settings = _SHORT
