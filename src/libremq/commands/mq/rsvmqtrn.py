"""The `libremq rsvmqtrn` command: decide a unit of work in doubt, because its transaction manager never will."""

from __future__ import annotations

import argparse

from libremq.commands.command_connection import connect
from libremq.commands.exit_codes import ExitCode
from libremq.commands.mq.dspmqtrn import connected_code, shown_number
from libremq.commands.queue_manager_folders import Refused, add_data_argument, guarded, tell
from libremq.common.messages.amq_messages import amq
from libremq.mqi.errors import MQError

COMMAND = "rsvmqtrn"
NOT_RESOLVED, NO_RESOURCE_MANAGER, NOT_KNOWN = 32, 34, 85


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-m", metavar="QM", dest="qmgr", required=True, help="the queue manager")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("-a", action="store_const", const="all", dest="what", help="all that it coordinates itself")
    what.add_argument("-b", action="store_const", const="backout", dest="what", help="back out this transaction")
    what.add_argument("-c", action="store_const", const="commit", dest="what", help="commit this transaction")
    what.add_argument("-f", action="store_const", const="forget", dest="what", help="forget one that was decided")
    parser.add_argument("-r", metavar="RMID", dest="resource_manager", type=int, help="0 is the queue manager itself")
    parser.add_argument("transaction", metavar="TRANSACTION", nargs="?", help="the number that dspmqtrn shows")
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    return connected_code(guarded(COMMAND, arguments, lambda: _run(arguments)))


def _run(arguments: argparse.Namespace) -> int:
    number = arguments.transaction
    if (number is None) != (arguments.what == "all"):
        raise Refused(
            ExitCode.ARGUMENTS, amq(7027, "-b, -c and -f take the number of a transaction, and -a takes none")
        )
    if arguments.resource_manager not in (None, 0):
        raise Refused(
            NO_RESOURCE_MANAGER, f"there is no resource manager {arguments.resource_manager}; 0 is the only one"
        )
    with connect(arguments, COMMAND) as manager:
        if arguments.what == "all":
            tell(f"Queue manager '{manager.name}' coordinates no transactions itself: there is nothing to resolve.")
            return ExitCode.OK
        found = [unit for unit in manager.units_in_doubt() if shown_number(unit) == number]
        decided = [unit for unit in manager.decided_units() if shown_number(unit) == number]
        if arguments.what == "forget":
            if found:
                raise Refused(NOT_RESOLVED, amq(7056, number) + " Decide it with -c or -b.")
            if not decided:
                raise Refused(NOT_KNOWN, amq(7111, number[:40]))
            manager.forget_unit(decided[0].xid)
            tell(amq(7057, number, "forgotten"))
            return ExitCode.OK
        if decided and not found:
            word = "committed" if decided[0].committed else "backed out"
            raise Refused(NOT_RESOLVED, amq(7058, number, word))
        if not found:
            raise Refused(NOT_KNOWN, amq(7111, number[:40]))
        xid = bytes.fromhex(found[0].xid)
        try:
            manager.resolve(xid, commit=arguments.what == "commit")
        except MQError as error:
            raise Refused(
                NOT_RESOLVED, f"transaction {number} could not be resolved: {error.detail or error}"
            ) from error
        tell(amq(7057, number, "committed" if arguments.what == "commit" else "backed out"))
    return ExitCode.OK
