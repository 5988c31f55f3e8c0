"""The `libremq completion` command: a script for bash, zsh or fish that completes commands, flags and names.

The script is made from the command lines themselves, so it knows what they know. Names of queue managers are looked up
when they are asked for, in the data folder. `eval "$(libremq completion bash)"` in a start-up file is all it takes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib import import_module
from typing import NamedTuple

from libremq.commands import main
from libremq.commands.exit_codes import Parser
from libremq.commands.own.link_commands import linked_names
from libremq.common.printable_text import printable

SHELLS = ("bash", "zsh", "fish")
_MANAGER, _FILE = "@manager", "@file"
_FILES = frozenset({"FILE", "FOLDER", "DIR", "PATH"})
_LIST = 'ls "${LIBREMQ_DATA:-$HOME/.libremq}/qmgrs" 2>/dev/null | sed -e "s/!/./g" -e "s,&,/,g"'  # as names are folded


class Flag(NamedTuple):
    names: tuple[str, ...]
    help: str
    value: str
    """What follows: words, `@manager`, `@file`, `?` for something else, or nothing."""


class Line(NamedTuple):
    """What a command takes."""

    name: str
    help: str
    flags: tuple[Flag, ...]
    words: str
    """What stands without a flag: words, or names."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(arguments: argparse.Namespace) -> int:
    lines = list(command_lines())
    print(printable({"bash": _bash, "zsh": _zsh, "fish": _fish}[arguments.shell](lines)), end="")
    return 0


def command_lines() -> Iterator[Line]:
    for command in main.COMMANDS:
        parser = Parser(prog=command.name, conflict_handler="resolve")
        module = import_module(command.module)
        module.add_arguments(parser)
        yield _line(command.name, command.help, parser)


def _line(name: str, text: str, parser: argparse.ArgumentParser) -> Line:
    flags: list[Flag] = []
    words: list[str] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            words += list(action.choices)
        elif not action.option_strings:
            words.append(_value(action))
        elif action.help != argparse.SUPPRESS:
            value = _value(action) if action.nargs != 0 else ""
            flags.append(Flag(tuple(action.option_strings), (action.help or "").replace("%%", "%"), value))
    kept = [word for word in dict.fromkeys(" ".join(words).split()) if word != "?"]
    return Line(name, text, tuple(flags), " ".join(kept))


def _value(action: argparse.Action) -> str:
    if action.choices is not None:
        return " ".join(str(choice) for choice in action.choices)
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    if action.dest == "qmgr" or metavar == "QM":
        return _MANAGER
    return _FILE if metavar in _FILES else "?"


# bash, and zsh with what it has for that

_BASH = """\
_libremq_values() {{
    case "$1" in
        @manager) COMPREPLY=($(compgen -W "$({listing})" -- "$2")) ;;
        @file) COMPREPLY=($(compgen -f -- "$2")) ;;
        '?') COMPREPLY=() ;;
        *) COMPREPLY=($(compgen -W "$1" -- "$2")) ;;
    esac
}}
_libremq() {{
    local command="${{COMP_WORDS[0]##*/}}" current="${{COMP_WORDS[COMP_CWORD]}}" before="" flags="" words="" at
    [ "$COMP_CWORD" -gt 0 ] && before="${{COMP_WORDS[COMP_CWORD-1]}}"
    if [ "$command" = libremq ]; then
        if [ "$COMP_CWORD" -le 1 ]; then
            COMPREPLY=($(compgen -W "{commands} --help --version" -- "$current"))
            return
        fi
        command="${{COMP_WORDS[1]}}"
    fi
    case "$command $before" in
{values}
    esac
    case "$command" in
{lines}
    esac
    case "$current" in
        -*) COMPREPLY=($(compgen -W "$flags" -- "$current")) ;;
        *)
            COMPREPLY=()
            local found=()
            for at in $words; do
                _libremq_values "$at" "$current"
                found+=("${{COMPREPLY[@]}}")
            done
            COMPREPLY=("${{found[@]}}")
            ;;
    esac
}}
complete -F _libremq {names}
"""


def _bash(lines: list[Line]) -> str:
    values = [
        f"        {'|'.join(_quoted(f'{line.name} {name}') for name in flag.names)}) "
        f'_libremq_values {_quoted(flag.value)} "$current"; return ;;'
        for line in lines
        for flag in line.flags
        if flag.value
    ]
    cases = [
        f"        {line.name}) flags={_quoted(' '.join(name for flag in line.flags for name in flag.names))} "
        f"words={_quoted(line.words)} ;;"
        for line in lines
    ]
    return _BASH.format(
        listing=_LIST,
        commands=" ".join(line.name for line in lines),
        values="\n".join(values),
        lines="\n".join(cases),
        names=" ".join(["libremq", *linked_names()]),
    )


def _zsh(lines: list[Line]) -> str:
    return "autoload -U +X compinit && compinit -u\nautoload -U +X bashcompinit && bashcompinit\n" + _bash(lines)


# fish


def _fish(lines: list[Line]) -> str:
    text = [
        "function __libremq_managers",
        f"    sh -c {_quoted(_LIST)}",
        "end",
        "complete -c libremq -f",
    ]
    for line in lines:
        text.append(f"complete -c libremq -n __fish_use_subcommand -a {_quoted(line.name)} -d {_quoted(line.help)}")
    linked = set(linked_names())
    for line in lines:
        places = [f"-c libremq -n {_quoted(f'__fish_seen_subcommand_from {line.name}')}"]
        places += [f"-c {line.name}"] if line.name in linked else []
        for place in places:
            text += [f"complete {place} {words}" for words in _fish_parts(line)]
    return "\n".join(text) + "\n"


def _fish_parts(line: Line) -> Iterator[str]:
    for word in line.words.split():
        yield "-f -a " + ("'(__libremq_managers)'" if word == _MANAGER else _quoted("" if word[0] == "@" else word))
    for flag in line.flags:
        parts = []
        for name in flag.names:
            kind = "-l" if name.startswith("--") else "-s" if len(name) == 2 else "-o"
            parts.append(f"{kind} {_quoted(name.lstrip('-'))}")
        if flag.value:
            parts.append("-r")
            if flag.value == _MANAGER:
                parts.append("-f -a '(__libremq_managers)'")
            elif flag.value not in (_FILE, "?"):
                parts.append(f"-f -a {_quoted(flag.value)}")
        yield f"{' '.join(parts)} -d {_quoted(flag.help)}"


def _quoted(text: str) -> str:
    """A word in single quotes, for all three shells: what they do not have in common does not occur."""
    return "'" + text.replace("\\", "").replace("'", "").replace("\n", " ") + "'"
