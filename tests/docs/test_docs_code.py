"""What the pages show to be typed is right: Python that compiles, MQSC that can be read, flags that commands have."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from functools import cache
from importlib import import_module

import pytest
from helper_docs import PAGES, blocks_of, code_in, name_of

from helper_rows import over_rows
from libremq.admin.mqsc_lines import commands_in
from libremq.admin.mqsc_reading import MqscSyntaxError, read_command
from libremq.commands.main import COMMANDS

_VERBS = r"(?:ALTER|CLEAR|DEFINE|DELETE|DISPLAY|DIS|MOVE|PING|REFRESH|RESET|RESOLVE|RESUME|SET|START|STOP|SUSPEND)"
_OF_THE_PIPELINE = ("pipeline", "plan")  # whose pages are made from the data, or tested with it
NOT_THERE = {("runmqsc", "-n")}  # and the page says so
_MQSC = re.compile(rf"^{_VERBS} [A-Z]+(?:\(|\b).*(?:[+-]\n.*)*$", re.MULTILINE)


def python() -> Iterator[object]:
    for page in PAGES:
        for number, block in enumerate(blocks_of(page), 1):
            if block.lstrip().startswith("```python"):
                yield pytest.param(block, id=f"{name_of(page)}: block {number}")


@pytest.mark.parametrize("block", list(python()))
def test_python_compiles(block: str) -> None:
    compile("\n".join(block.splitlines()[1:-1]), "page", "exec", flags=0x2000)  # PyCF_ALLOW_TOP_LEVEL_AWAIT


def mqsc() -> Iterator[object]:
    for page in PAGES:
        shown = [text for block in blocks_of(page) for text in _MQSC.findall(block)]
        shown += [code for code in code_in(page) if re.match(rf"{_VERBS} [A-Z]+(\(| |$)", code)]
        for text in shown:
            yield pytest.param(text, id=f"{name_of(page)}: {text}")


@over_rows("text", list(mqsc()))
def test_mqsc_can_be_read(text: str) -> None:
    for given in commands_in(re.sub(r"  +in \w+$", "", text)):  # where it is typed
        try:
            read_command(given.text)
        except MqscSyntaxError as error:
            # A page may name a command without all that it needs, or with small letters for what the reader knows
            assert " needs " in str(error) or re.search(r"\([a-z]+\)", text) or "did you mean" in str(error)


@cache
def flags_of(name: str) -> set[str]:
    """The flags of a command and of its actions."""
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    module = import_module(next(command.module for command in COMMANDS if command.name == name))
    module.add_arguments(parser)
    return {"--help", *all_flags(parser)}


def all_flags(parser: argparse.ArgumentParser) -> set[str]:
    flags = set(parser._option_string_actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action.choices.values():
                flags |= all_flags(choice)
    return flags


def typed() -> Iterator[object]:
    names = "|".join(command.name for command in COMMANDS if command.name not in _OF_THE_PIPELINE)
    line = re.compile(rf"^(?:\$ |[A-Z_]+=\S+ |.*\| )?(?:libremq )?({names}) ([^|<>#&;\n]*)", re.MULTILINE)
    for page in PAGES:
        for text in [*blocks_of(page), *code_in(page)]:
            for name, rest in line.findall(text):
                if "-" in rest:
                    yield pytest.param(name, rest.strip(), id=f"{name_of(page)}: {name} {rest.strip()}")


@over_rows(("name", "rest"), list(typed()))
def test_flags_exist(name: str, rest: str) -> None:
    known = flags_of(name)
    for word in shlex.split(rest.replace("[", " ").replace("]", " ").replace("'", "")):
        flag = word.partition("=")[0]
        if re.fullmatch(r"--?[A-Za-z][\w-]*", flag):
            assert (flag in known or flag[:2] in known) != ((name, flag) in NOT_THERE), flag
