"""The state of a queue manager against a naive model: queues, units of work, cursors, locks, marks, groups, tokens.

A short run of the model tests, for whoever changes this room: tests/model has the machines, and long runs of them.
"""

from __future__ import annotations

from hypothesis import settings
from test_model_stateful import STEPS, Groups, Messages

_EXAMPLES = 25

TestMessages = Messages.TestCase
TestMessages.settings = settings(settings.default, max_examples=_EXAMPLES, stateful_step_count=STEPS)
TestGroups = Groups.TestCase
TestGroups.settings = settings(settings.default, max_examples=_EXAMPLES, stateful_step_count=STEPS)
