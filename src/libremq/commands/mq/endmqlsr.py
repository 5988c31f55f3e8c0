"""The `libremq endmqlsr` command: end all TCP listeners of a queue manager. Those who are connected stay.

Exit codes: 0 they have ended, 10 there was none, 20 an error.
"""

from __future__ import annotations

import argparse

from libremq.commands.queue_manager_folders import Refused, add_data_argument, existing, guarded, tell
from libremq.common.files.file_layer import RealFiles
from libremq.common.messages.amq_messages import amq
from libremq.server.process.run_state import current_run

COMMAND = "endmqlsr"
OK, NONE_THERE, FAILED = 0, 10, 20
_ANSWER_S = 30.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", help="the queue manager; else the default one")
    parser.add_argument("-w", action="store_true", dest="wait", help="return when they have ended, as it always does")
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    code = guarded(COMMAND, arguments, lambda: _run(arguments))
    return code if code in (OK, NONE_THERE) else FAILED


def _run(arguments: argparse.Namespace) -> int:
    from libremq.server.process.control_socket import ControlClient, ControlError
    from libremq.server.process.listener_commands import END_LISTENERS

    address = existing(RealFiles(), arguments)
    running = current_run(address.folder)
    ended: list[str] = []
    if running is not None:
        try:
            client = ControlClient(running.control, _ANSWER_S)
            try:
                answer = client.ask(END_LISTENERS)
            finally:
                client.close()
        except (OSError, ControlError) as error:
            raise Refused(FAILED, amq(8146, address.name, error)) from error
        if not answer.get("ok"):
            raise Refused(FAILED, f"the listeners of '{address.name}' were not ended: {answer.get('text')}")
        ended = [str(one) for one in answer.get("ended", ())]
    for one in ended:
        tell(amq(5027, one))
    if not ended:
        raise Refused(NONE_THERE, f"queue manager '{address.name}' has no listener that could be ended")
    return OK
