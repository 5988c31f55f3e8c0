"""Runs commands: one `Command` in, one `Outcome` out, whichever syntax it came in.

All checks come before the first change, so a command that fails has changed nothing. It runs under the kernel's lock
and never waits: an outcome that needs the network is `pending`, and what takes long is done in steps, between which
applications have their turn. The outcome says how far the log must be on disk before anybody hears of it. What only a
server can do is asked of `operations`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from libremq.admin import (
    commands_channel_status,
    commands_channels,
    commands_control,
    commands_objects,
    commands_security,
    commands_status,
)
from libremq.admin.command import Command, Issuer, Outcome
from libremq.admin.command_context import Context
from libremq.admin.command_spec import CommandSpec, Naming
from libremq.admin.failure_messages import failure_message
from libremq.admin.operations import NoOperations, Operations
from libremq.admin.steps import Steps, run_through
from libremq.kernel.events.queue_manager_events import EventContext
from libremq.kernel.manager import QueueManager
from libremq.kernel.objects.definition_checks import reasons
from libremq.mqi import constants as C
from libremq.mqi.errors import MQError, mq_error

Handler = Callable[[Context, Command], Outcome | Steps[Outcome]]
_HANDLERS: dict[tuple[str, str], Handler] = {
    **commands_channel_status.HANDLERS,
    **commands_channels.HANDLERS,
    **commands_control.HANDLERS,
    **commands_security.HANDLERS,
    **commands_status.HANDLERS,
}


def _handler(spec: CommandSpec) -> Handler:
    return _HANDLERS.get((spec.verb, spec.object)) or commands_objects.HANDLERS[spec.verb]


class Executor:
    def __init__(self, manager: QueueManager, operations: Operations | None = None) -> None:
        self._manager = manager
        self.operations: Operations = operations or NoOperations(manager.name)

    def run(self, command: Command, issuer: Issuer) -> Outcome:
        """Do it. A failure is an outcome too; only trouble of the queue manager itself is raised."""
        return run_through(self.steps(command, issuer))

    def steps(self, command: Command, issuer: Issuer) -> Steps[Outcome]:
        """The same for those who give way."""
        try:
            check(command)
            return (yield from self._perform(command, issuer))
        except MQError as error:
            if error.reason == C.MQRC_CONNECTION_BROKEN:
                raise
            return Outcome([failure_message(error)], reason=error.reason, comp_code=C.MQCC_FAILED)

    def perform(self, command: Command, issuer: Issuer) -> Outcome:
        """Do it, or raise the error that says why not."""
        return run_through(self._perform(command, issuer))

    def _perform(self, command: Command, issuer: Issuer) -> Steps[Outcome]:
        spec = command.spec
        if spec.part:
            return commands_objects.not_there_yet(spec.words, spec.part)
        on_behalf = partial(self._manager.events.on_behalf_of, _event_context(issuer))
        with on_behalf():
            begun = _handler(spec)(Context(self._manager, self.operations, issuer), command)
        if isinstance(begun, Outcome):
            outcome = begun
        else:
            while True:
                with on_behalf():  # of others in between
                    try:
                        next(begun)
                    except StopIteration as end:
                        outcome = end.value
                        break
                yield
        if outcome.pending is None:
            with on_behalf():
                self._tell(command, outcome)
        else:
            outcome.pending.then(lambda found: self._tell_late(command, issuer, found))
        return outcome

    def _tell(self, command: Command, outcome: Outcome) -> None:
        """The command event of a command that was done."""
        if not outcome.failed:
            self._manager.events.command(
                command=command.spec.pcf[0],
                mqsc=command.source_text or None,
                parameters=command.source_parameters,
            )

    def _tell_late(self, command: Command, issuer: Issuer, outcome: Outcome) -> None:
        with self._manager.events.on_behalf_of(_event_context(issuer)):
            self._tell(command, outcome)


def _event_context(issuer: Issuer) -> EventContext:
    return EventContext(
        user=issuer.user,
        origin=issuer.origin,
        application=issuer.application,
        application_type=issuer.application_type,
        accounting_token=issuer.accounting_token,
        identity_data=issuer.identity_data,
    )


def check(command: Command) -> None:
    """What can be said about a command without looking at any object. MQError if something is wrong."""
    spec = command.spec
    given = {keyword.upper() for keyword in command.parameters}
    missing = [keyword for keyword in spec.required if keyword not in given]
    if missing:
        raise mq_error(C.MQRCCF_PARM_MISSING, command.name, f"{spec.words} needs {', '.join(missing)}")
    if spec.naming in (Naming.FULL, Naming.GENERIC) and not command.name:
        raise mq_error(C.MQRCCF_PARM_MISSING, command.name, f"{spec.words} needs {spec.naming.value}")
    if spec.naming is Naming.FULL and command.name.endswith("*"):
        reason = reasons(spec.object).name
        raise mq_error(reason, command.name, f"{spec.words} takes one full name, not a generic one")
