"""The calls that the pages on Python write out are the calls there are: names, order, defaults."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from typing import Any

from helper_docs import ROOT, prose_of

import libremq
from helper_rows import over_rows
from libremq.client.browser import Browser
from libremq.client.options import Match
from libremq.client.verbs import MQI
from libremq.client.xa import XA
from libremq.mqi import constants as C
from libremq.testing import (
    VirtualClock,
    channel_ledger,
    channel_simulation,
    channel_topologies,
    queue_managers,
    serving,
    simulated_queue_manager,
)

OWNERS: dict[str, list[Any]] = {
    "docs/reference/python-api.md": [
        libremq.QueueManager, libremq.Queue, libremq.Message, libremq.Consumer, Browser, libremq.Transaction, XA,
        libremq, libremq.backup, libremq.testing, VirtualClock, queue_managers, serving, serving.Served,
        channel_simulation, channel_simulation.ChannelSimulation, channel_ledger, channel_topologies,
        simulated_queue_manager,
    ],
    "docs/reference/mqi.md": [MQI],
}  # fmt: skip
NOT_OURS = {"on_error", "function", "Cut", "Crash"}


def written(page: str) -> list[str]:
    """Each call in backticks; one that is cut short with dots is none."""
    found = re.findall(r"`((?:\w+\.)?\w+\([^`]*\)[^`]*)`", prose_of(ROOT / page))
    return [" ".join(call.split()) for call in found if "..." not in call]


CALLS = [(page, call) for page in OWNERS for call in written(page)]


def taken(call: ast.arguments) -> list[tuple[str, str]]:
    """Names and defaults as text, keyword arguments behind a star."""
    positional = call.posonlyargs + call.args
    defaults = [None] * (len(positional) - len(call.defaults)) + list(call.defaults)
    found = [(one.arg, ast.unparse(value) if value else "") for one, value in zip(positional, defaults, strict=True)]
    if call.vararg:
        found.append((f"*{call.vararg.arg}", ""))
    elif call.kwonlyargs:
        found.append(("*", ""))
    found += [
        (one.arg, ast.unparse(value) if value else "")
        for one, value in zip(call.kwonlyargs, call.kw_defaults, strict=True)
    ]
    return found + ([(f"**{call.kwarg.arg}", "")] if call.kwarg else [])


def as_written(call: str) -> tuple[str, list[tuple[str, str]]] | None:
    """Name and arguments, if it is a signature and no example."""
    name, _, rest = call.partition("(")
    try:
        tree = ast.parse(f"def {name.rpartition('.')[2]}({rest}: pass").body[0]
    except SyntaxError:
        return None
    assert isinstance(tree, ast.FunctionDef)
    return tree.name, taken(tree.args)


def as_it_is(function: Callable[..., Any]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    starred = False
    for parameter in list(inspect.signature(function).parameters.values()):
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            found.append(("*", ""))
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        default = "" if parameter.default is parameter.empty else repr(parameter.default)
        found.append((f"{'**' if parameter.kind is parameter.VAR_KEYWORD else ''}{parameter.name}", default))
    return found


def value_of(default: str) -> str:
    """A default as the code has it, which may be written by the name of a constant."""
    return repr(getattr(C, default, default)) if default.startswith("MQ") else default


@over_rows(("page", "call"), CALLS)
def test_the_call_is_as_written(page: str, call: str) -> None:
    """What is written is there, in that order and with that default; where the star is written, nothing is left out."""
    signature = as_written(call)
    if signature is None or signature[0] in NOT_OURS:
        return
    name, arguments = signature
    owners = [owner for owner in OWNERS[page] if hasattr(owner, name)]
    assert owners, name
    assert any(agree(arguments, as_it_is(getattr(owner, name))) for owner in owners), name


def agree(arguments: list[tuple[str, str]], real: list[tuple[str, str]]) -> bool:
    names, real_names = [name for name, _ in arguments], [name for name, _ in real]
    if "**match" in real_names and "message_id" in names:
        at = real_names.index("**match")
        real[at : at + 1] = [(name, "None") for name in Match.__annotations__]
        real_names = [name for name, _ in real]
    if "*" in names and names != real_names:
        return False
    if "**attributes" in real_names:
        return True
    places = [real_names.index(name) if name in real_names else -1 for name in names]
    defaults = dict(real)
    return (
        -1 not in places
        and places == sorted(places)
        and all(not default or value_of(default) == defaults[name] for name, default in arguments)
        and not ("*" in real_names and "*" not in names and real_names.index("*") < max(places, default=0))
    )
