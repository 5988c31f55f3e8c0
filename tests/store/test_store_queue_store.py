"""A queue's store against a naive model of it: a short run of tests/model, for whoever changes the store."""

from __future__ import annotations

from hypothesis import settings
from test_model_store import STEPS, StoreMachine


class _Machine(StoreMachine):
    """A class of its own: what is set for its cases is not set for those of the long run."""


TestStore = _Machine.TestCase
TestStore.settings = settings(settings.default, max_examples=30, stateful_step_count=STEPS)
