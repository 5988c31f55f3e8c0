"""The `libremq` command: one entry, with a sub-command per job.

Each command is a row in `COMMANDS`: its name, one line of help, and the module that does the work. The module
is imported only when its command is run; it offers `add_arguments(parser)` and `run(arguments) -> int`, where
the number is the exit code. So a new command is a new module and a new row.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple, NoReturn, Protocol, cast

from libremq.commands.exit_codes import ExitCode, Parser
from libremq.common.printable_text import printable
from libremq.common.release import release


class Command(NamedTuple):
    name: str
    help: str
    module: str
    usage_code: int = 2
    """The exit code for arguments that make no sense: MQ's commands have numbers of their own."""


class CommandModule(Protocol):
    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, arguments: argparse.Namespace) -> int: ...


COMMANDS: tuple[Command, ...] = (
    Command("crtmqm", "create a queue manager, or a backup of one", "libremq.commands.mq.crtmqm", ExitCode.PARAMETER),
    Command(
        "strmqm", "start a queue manager; replay or activate a backup", "libremq.commands.mq.strmqm", ExitCode.PARAMETER
    ),
    Command("endmqm", "end a queue manager", "libremq.commands.mq.endmqm", ExitCode.ARGUMENTS),
    Command("dltmqm", "delete a queue manager that has ended", "libremq.commands.mq.dltmqm", ExitCode.ARGUMENTS),
    Command("runmqsc", "run MQSC commands on a queue manager", "libremq.commands.mq.runmqsc", 20),
    Command("dmpmqcfg", "dump the configuration of a queue manager as MQSC", "libremq.commands.mq.dmpmqcfg", 20),
    Command("dspmq", "list the queue managers", "libremq.commands.mq.dspmq", ExitCode.ARGUMENTS),
    Command("rcdmqimg", "record media images in a linear log", "libremq.commands.mq.rcdmqimg", ExitCode.ARGUMENTS),
    Command("rcrmqobj", "recreate objects from their media images", "libremq.commands.mq.rcrmqobj", ExitCode.ARGUMENTS),
    Command(
        "log", "list, archive and delete the extents of a log", "libremq.commands.own.log_command", ExitCode.ARGUMENTS
    ),
    Command("mqrc", "explain reason codes and AMQ messages", "libremq.commands.mq.mqrc"),
    Command("dmpmqlog", "show the records of a queue manager's log", "libremq.commands.mq.dmpmqlog", 20),
    Command("runmqtrm", "start programs for the trigger messages of a queue", "libremq.commands.mq.runmqtrm", 20),
    Command("runmqdlq", "deal with the messages of a dead-letter queue by rules", "libremq.commands.mq.runmqdlq", 20),
    Command("dmpmqmsg", "copy or move messages between queues and files", "libremq.commands.mq.dmpmqmsg", 20),
    Command("unload", "write the messages of a queue to a file", "libremq.commands.own.unload", 20),
    Command("load", "put the messages of a file on a queue", "libremq.commands.own.load", 20),
    Command("runmqlsr", "have a queue manager listen on an address", "libremq.commands.mq.runmqlsr", 20),
    Command("endmqlsr", "end the listeners of a queue manager", "libremq.commands.mq.endmqlsr", 20),
    Command("runmqchl", "start a channel of a queue manager", "libremq.commands.mq.runmqchl", 20),
    Command("runmqchi", "start channels by the triggers of a queue", "libremq.commands.mq.runmqchi", 20),
    Command("dspmqrte", "trace the route of a message through queue managers", "libremq.commands.mq.dspmqrte", 10),
    Command("dspmqtrn", "show transactions that are in doubt", "libremq.commands.mq.dspmqtrn", ExitCode.ARGUMENTS),
    Command(
        "rsvmqtrn", "commit or back out a transaction in doubt", "libremq.commands.mq.rsvmqtrn", ExitCode.ARGUMENTS
    ),
    Command("strmqtrc", "trace the flows and calls of connections", "libremq.commands.mq.strmqtrc", ExitCode.ARGUMENTS),
    Command("endmqtrc", "end a trace", "libremq.commands.mq.endmqtrc", ExitCode.ARGUMENTS),
    Command("dspmqfls", "show in which files objects are kept", "libremq.commands.mq.dspmqfls", ExitCode.ARGUMENTS),
    Command("dspmqver", "show version and build", "libremq.commands.mq.dspmqver", 20),
    Command("link-commands", "make the commands under their bare names", "libremq.commands.own.link_commands"),
    Command("completion", "print what completes commands in a shell", "libremq.commands.own.completion"),
    Command(
        "pipeline", "turn SMF dumps into findings, forecasts and reports", "libremq.commands.pipeline.pipeline_command"
    ),
    Command(
        "plan",
        "size logs, page sets, structures, channels, ... for a workload",
        "libremq.commands.pipeline.plan_command",
    ),
    Command("amqldmpa", "show the counters of a queue manager's logger", "libremq.commands.mq.amqldmpa"),
    Command("setmqusr", "set or remove the password of a user", "libremq.commands.mq.setmqusr", ExitCode.ARGUMENTS),
    Command("setmqaut", "give and take authorities", "libremq.commands.mq.setmqaut", ExitCode.ARGUMENTS),
    Command(
        "dspmqaut",
        "show what a user or group may do with an object",
        "libremq.commands.mq.dspmqaut",
        ExitCode.ARGUMENTS,
    ),
    Command("dmpmqaut", "list authority records", "libremq.commands.mq.dmpmqaut", ExitCode.ARGUMENTS),
    Command(
        "tls",
        "make certificates for queue managers and clients",
        "libremq.commands.own.tls_command",
        ExitCode.ARGUMENTS,
    ),
    Command("amqsput", "put lines of standard input as messages", "libremq.commands.samples.amqsput", 99),
    Command("amqsget", "get messages and print them", "libremq.commands.samples.amqsget", 99),
    Command("amqsbcg", "browse messages: descriptor, properties, hex dump", "libremq.commands.samples.amqsbcg", 99),
    Command("amqsblst", "put or get many messages, with rates", "libremq.commands.samples.amqsblst", 99),
    Command("amqsreq", "put requests and print the replies", "libremq.commands.samples.amqsreq", 99),
    Command("amqsech", "answer requests with their own data", "libremq.commands.samples.amqsech", 99),
    Command("amqsgbr", "browse messages and print their data", "libremq.commands.samples.amqsgbr", 99),
    Command("amqsinq", "answer requests with attributes of queues", "libremq.commands.samples.amqsinq", 99),
    Command("amqsset", "inhibit puts on the queues that requests name", "libremq.commands.samples.amqsset", 99),
    Command("amqsevt", "print events in words or as JSON", "libremq.commands.samples.amqsevt", 99),
    # The same as clients
    Command("amqsputc", "amqsput over a client channel", "libremq.commands.samples.amqsput", 99),
    Command("amqsgetc", "amqsget over a client channel", "libremq.commands.samples.amqsget", 99),
    Command("amqsbcgc", "amqsbcg over a client channel", "libremq.commands.samples.amqsbcg", 99),
    Command("amqsgbrc", "amqsgbr over a client channel", "libremq.commands.samples.amqsgbr", 99),
    Command("amqsblstc", "amqsblst over a client channel", "libremq.commands.samples.amqsblst", 99),
    Command("amqsreqc", "amqsreq over a client channel", "libremq.commands.samples.amqsreq", 99),
    Command("amqsechc", "amqsech over a client channel", "libremq.commands.samples.amqsech", 99),
    Command("amqsinqc", "amqsinq over a client channel", "libremq.commands.samples.amqsinq", 99),
    Command("amqssetc", "amqsset over a client channel", "libremq.commands.samples.amqsset", 99),
)


class _ShowVersion(argparse.Action):
    """argparse's own action wants the version before anybody has asked for it."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        print(f"libremq {release()}")
        parser.exit()


def _parser(chosen: str | None, *, whole: bool = True) -> argparse.ArgumentParser:
    """The command line: of all commands, or of the chosen one only. No other's module is imported."""
    parser = Parser(
        prog="libremq",
        description="LibreMQ, an open queue manager in Python. Not affiliated with IBM.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_ShowVersion, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for command in COMMANDS:
        if not whole and command.name != chosen:
            continue
        sub = commands.add_parser(
            command.name,
            help=command.help,
            description=f"{command.help[0].upper()}{command.help[1:]}.",
            allow_abbrev=False,
            conflict_handler="resolve",  # -h is a flag of some commands; --help helps with every one
        )
        if command.name == chosen:
            parser.command, sub.usage_code = sub, command.usage_code
            module = cast(CommandModule, import_module(command.module))
            module.add_arguments(sub)
            sub.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code; never a traceback for bad input or a reader that went away."""
    _open_standard_files()
    words = list(sys.argv[1:] if argv is None else argv)
    chosen = next((word for word in words if not word.startswith("-")), None)
    is_known = any(command.name == chosen for command in COMMANDS)
    if argv is None and is_known:
        sys.argv[0] = str(chosen)  # the name of the application that a queue manager and other processes see
    if chosen is not None and not is_known and words[0] == chosen:
        print(printable(f"libremq: {_no_command(chosen)}"), file=sys.stderr)
        return 2
    try:
        parser = _parser(chosen, whole=not is_known or words[0] != chosen)
        arguments = parser.parse_args(words)
        if arguments.command is None:
            parser.print_help()
            code = 0
        else:
            code = int(arguments.run(arguments))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _drop_output()  # someone piped us into `head`
        return 1
    except OSError as error:
        _drop_output()  # most likely it is the disk that it goes to
        why = f"{error.strerror}: {error.filename}" if error.filename else error.strerror or error
        print(printable(f"libremq {chosen}: {why}"), file=sys.stderr)
        return ExitCode.UNEXPECTED
    except ImportError as error:
        from libremq.common import operating_system

        if not operating_system.is_of_unix(error):
            raise
        print(printable(f"libremq {chosen}: {operating_system.why_not('this command')}"), file=sys.stderr)
        return ExitCode.UNEXPECTED
    except KeyboardInterrupt:
        return 130


def _no_command(word: str) -> str:
    """What is said of a word that is no command."""
    import difflib

    close = difflib.get_close_matches(word.lower(), [command.name for command in COMMANDS], 1)
    meant = f" Did you mean {close[0]}?" if close else ""
    return f"'{word[:64]}' is no command.{meant} libremq --help lists them."


def _drop_output() -> None:
    """Python flushes stdout again at exit: give it somewhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_standard_files() -> None:
    """Whoever starts us may have closed them (`>&-`): what is opened next must not get their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8", closefd=False))


def main_of_name() -> int:
    """For the commands that are installed under their own names: `strmqm QM1` is `libremq strmqm QM1`."""
    name = os.path.basename(sys.argv[0]).removesuffix(".exe")
    return main([name, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
