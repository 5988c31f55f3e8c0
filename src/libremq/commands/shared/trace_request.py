"""What strmqtrc and endmqtrc share: the way to the queue manager whose process writes the trace."""

from __future__ import annotations

import argparse
from typing import Any

from libremq.commands.exit_codes import ExitCode
from libremq.commands.queue_manager_folders import Refused, existing
from libremq.common.files.file_layer import RealFiles
from libremq.common.messages.amq_messages import amq
from libremq.server.process.run_state import current_run

_ANSWER_S = 30.0


def ask(arguments: argparse.Namespace, command: str, **values: Any) -> tuple[str, str]:
    """The name of the queue manager, and the path of the trace. Refused if it does not run, or does not want to."""
    from libremq.server.process.control_socket import ControlClient, ControlError

    address = existing(RealFiles(), arguments)
    running = current_run(address.folder)
    if running is None:
        todo = f"it does not run; libremq strmqm {address.name} starts it"
        raise Refused(ExitCode.NOT_AVAILABLE, amq(8146, address.name, todo))
    try:
        client = ControlClient(running.control, _ANSWER_S)
        try:
            answer = client.ask(command, **values)
        finally:
            client.close()
    except (OSError, ControlError) as error:
        raise Refused(ExitCode.NOT_AVAILABLE, amq(8146, address.name, error)) from error
    if not answer.get("ok"):
        raise Refused(ExitCode.UNEXPECTED, str(answer.get("text")))
    return address.name, str(answer.get("path", ""))
