"""runmqsc at a terminal: a prompt if MQPROMPT asks for one, a history that is kept, completion with the tab key.

Completion knows the command model: verbs, then objects, then the parameters that the command takes, and the words of a
parameter inside its parentheses.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

from libremq.admin import command_lookup, command_table
from libremq.admin.command_spec import CommandSpec
from libremq.admin.mqsc_lines import CommandText
from libremq.admin.mqsc_session import Answer
from libremq.common.release import release
from libremq.kernel.events.masked_text import has_secrets

_HISTORY_MAX = 1000
_OPEN = re.compile(r"([A-Za-z]\w*)\s*\(\s*([^()\s,']*)$")


def completions(text: str, names: Callable[[str, str], list[str]] = lambda kind, start: []) -> list[str]:
    """What the last word of a line could become. `names` gives the names of objects of a kind that begin so."""
    words = text.split()
    if not words or (len(words) == 1 and not text.endswith(" ")):
        return _starting(command_table.VERB_ABBREVIATIONS, words[0] if words else "")
    verb = command_lookup.verb(words[0])
    if verb is None:
        return []
    if len(words) == 1 or (len(words) == 2 and not text.endswith(" ") and "(" not in text):
        return _starting(command_lookup.objects_of(verb), words[1] if len(words) > 1 else "")
    found = re.match(r"\s*\w+\s+(\w+)", text)
    spec = command_lookup.find(verb, found.group(1)) if found else None
    if spec is None:
        return []
    inside = _OPEN.search(text)
    if inside is not None:
        return _inside(spec, inside.group(1).upper(), inside.group(2), names)
    last = re.search(r"(\w*)$", text)
    return _starting(_parameters(spec), last.group(1) if last else "")


def _inside(spec: CommandSpec, word: str, start: str, names: Callable[[str, str], list[str]]) -> list[str]:
    if command_lookup.object_word(word) == spec.object:
        return names(spec.object, start) if spec.verb != "DEFINE" else []
    row = command_lookup.parameters(spec).get(word)
    return _starting(row.words, start) if row is not None else []


def _parameters(spec: CommandSpec) -> list[str]:
    rows = command_lookup.parameters(spec).values()
    words = [row.keyword for row in rows if not command_lookup.is_bare(row) or spec.shows]
    words += [] if spec.shows else list(command_lookup.bare_words(spec))
    return [*dict.fromkeys(words), *(("ALL", "WHERE", *spec.groups) if spec.shows else ())]


def _starting(words: Iterable[str], start: str) -> list[str]:
    return [word for word in words if word.startswith(start.upper())]


def prompt(name: str) -> str:
    """MQPROMPT, with the name of the queue manager in place of +QMNAME+ and our version in place of +VERSION+."""
    return os.environ.get("MQPROMPT", "").replace("+QMNAME+", name).replace("+VERSION+", release())


def lines(name: str, pending: Callable[[], bool], execute: Callable[[CommandText], Answer]) -> Iterator[str]:
    """The lines that are typed, until the end of input or an interrupt."""
    secrets: set[str] = set()
    keep = _prepare(execute)
    typed: list[str] = []  # the lines of one command: a password may be on another one than its keyword
    try:
        while True:
            try:
                line = input("" if pending() else prompt(name))
            except (EOFError, KeyboardInterrupt):
                print()
                return
            typed.append(line)
            if has_secrets(" ".join(typed)):
                secrets.update(typed)
            yield line + "\n"
            if not pending():
                typed.clear()
    finally:
        keep(secrets)


def _prepare(execute: Callable[[CommandText], Answer]) -> Callable[[set[str]], None]:
    """Set up history and completion, if there is a readline; returns what is to be done at the end."""
    try:
        import readline
    except ImportError:
        return lambda secrets: None
    path = os.path.join(os.path.expanduser(os.environ.get("LIBREMQ_DATA") or "~/.libremq"), "runmqsc_history")
    try:
        readline.read_history_file(path)
    except OSError:
        pass
    readline.set_history_length(_HISTORY_MAX)
    readline.set_completer_delims(" \t\n(),'")

    def names(kind: str, start: str) -> list[str]:
        answer = execute(CommandText([], f"DISPLAY {kind}('{start}*')"))
        keyword = next(iter(answer.rows[0]), "") if answer.rows else ""
        return [str(row[keyword]) for row in answer.rows]

    found: list[str] = []

    def complete(text: str, state: int) -> str | None:
        """Asked for the first, the second, ... until there is no more: what there is was found with the first."""
        if state == 0:
            found[:] = completions(readline.get_line_buffer()[: readline.get_endidx()], names)
        return found[state] if state < len(found) else None

    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    return lambda secrets: _save(path, secrets)


def _save(path: str, secrets: set[str]) -> None:
    """Keep the history for the next time, without the lines that may have a password."""
    import readline

    for index in range(readline.get_current_history_length(), 0, -1):
        if (readline.get_history_item(index) or "") in secrets:
            readline.remove_history_item(index - 1)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        os.chmod(path, 0o600)
        readline.write_history_file(path)
    except OSError:
        pass  # a history is a convenience
