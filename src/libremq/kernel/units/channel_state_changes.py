"""What is kept of a channel that does not run: written down, found again, forgotten.

One log record each. Nothing has to wait for the log: if the last of them is lost in a crash, the channel is what it was
a moment before, which is true enough for a retry, and a command is not answered before the log is on disk.
"""

from __future__ import annotations

from libremq.kernel.objects.channel_state_record import ChannelState
from libremq.kernel.state import object_changes
from libremq.kernel.state.core import Core
from libremq.kernel.verb_calls import VerbCalls, verb


@verb
def keep(manager: VerbCalls, state: ChannelState) -> int:
    """Write the state down in place of the one before; the log position that an answer depends on."""
    found = state_of(manager.core, state.channel)
    if found is not None and vars(found) == vars(state):
        return 0
    return object_changes.install_record(manager.core, state)


@verb
def forget(manager: VerbCalls, channel: str) -> int:
    """The channel is inactive, or runs: nothing of it has to outlive the queue manager."""
    if state_of(manager.core, channel) is None:
        return 0
    return object_changes.remove_record(manager.core, ChannelState.kind, channel)


def state_of(core: Core, channel: str) -> ChannelState | None:
    return core.catalogue.channel_states.get(channel)
