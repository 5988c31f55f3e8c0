"""The asyncio API is the blocking one, awaited: same names, same arguments, one description. What differs is listed."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

import pytest

from helper_rows import over_rows
from libremq import aio
from libremq.aio import connecting as aio_connecting
from libremq.aio.descriptions import joined
from libremq.aio.xa import XA as AioXA
from libremq.client import browser, connecting, consumer, message, options, queue, queue_manager, transaction, xa

CLASSES: dict[type, type] = {
    queue.Queue: aio.Queue,
    queue_manager.QueueManager: aio.QueueManager,
    message.Message: aio.Message,
    browser.Browser: aio.Browser,
    consumer.Consumer: aio.Consumer,
    transaction.Transaction: aio.Transaction,
    xa.XA: AioXA,
}
ONLY_BLOCKING = {
    "Queue.handle": "the raw verbs are in the blocking API only",
    "QueueManager.mqi": "the raw verbs are in the blocking API only",
}
ONLY_ASYNCIO = {
    "Queue.open": "nothing can be opened at once where opening is awaited",
    "Browser.drop": "for the transaction that ends with browsers in it",
}
OTHER_PARAMETERS = {
    "Queue.consume": {"callback", "on_error"},  # they are coroutine functions
}
NOT_AWAITED = {
    "Consumer.resume", "Consumer.running", "Consumer.start", "Queue.browse", "Queue.name", "QueueManager.closed",
    "QueueManager.folder", "QueueManager.name", "QueueManager.queue", "QueueManager.transaction", "Queue.iterate",
    "XA.branch",
}  # fmt: skip


def name_of(kind: type, name: str) -> str:
    return f"{kind.__name__}.{name}"


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def function(kind: type, name: str) -> Callable[..., Any]:
    found = inspect.getattr_static(kind, name)
    if isinstance(found, property):
        found = found.fget
    return getattr(found, "__func__", found)  # type: ignore[no-any-return]


def twins() -> Iterator[tuple[str, Callable[..., Any], Callable[..., Any]]]:
    """The calls that are written twice; what both inherit is the same anyway."""
    for blocking, awaited in CLASSES.items():
        for name in sorted(public(blocking) & public(awaited)):
            first, second = function(blocking, name), function(awaited, name)
            if first is not second and callable(first):
                yield name_of(blocking, name), first, second
    yield "connect", connecting.connect, aio_connecting.connect


TWINS = {name: (first, second) for name, first, second in twins()}


@pytest.mark.parametrize("blocking", CLASSES, ids=lambda kind: kind.__name__)
def test_each_name_has_its_twin(blocking: type) -> None:
    awaited = CLASSES[blocking]
    only_blocking = {name_of(blocking, name) for name in public(blocking) - public(awaited)}
    only_awaited = {name_of(awaited, name) for name in public(awaited) - public(blocking)}
    prefix = f"{blocking.__name__}."
    assert only_blocking == {name for name in ONLY_BLOCKING if name.startswith(prefix)}
    assert only_awaited == {name for name in ONLY_ASYNCIO if name.startswith(prefix)}


Parameters = dict[str, tuple[object, object, object]]


def parameters(call: Callable[..., Any]) -> Parameters:
    """Kind, default and annotation by name; `**options` of a TypedDict are the keyword arguments that it has."""
    found: Parameters = {}
    for name, parameter in inspect.signature(call).parameters.items():
        unpacked = re.fullmatch(r"Unpack\[(\w+)\]", str(parameter.annotation))
        if unpacked is None:
            found[name] = parameter.kind, parameter.default, parameter.annotation
            continue
        for key, annotation in getattr(options, unpacked[1]).__annotations__.items():
            found[key] = inspect.Parameter.KEYWORD_ONLY, None, annotation.__forward_arg__
    return found


@over_rows("name", TWINS)
def test_twins_take_the_same_arguments(name: str) -> None:
    blocking, awaited = map(parameters, TWINS[name])
    assert list(blocking) == list(awaited)
    for parameter in OTHER_PARAMETERS.get(name, ()):
        del blocking[parameter], awaited[parameter]
    if name == "Queue.put":  # a TypedDict has no defaults: those of the blocking call mean "not given"
        assert {default for _, default, _ in blocking.values()} == {inspect.Parameter.empty, None, "", 0}
        blocking = {key: (kind, None, annotation) for key, (kind, _, annotation) in blocking.items()}
        awaited = {key: (kind, None, annotation) for key, (kind, _, annotation) in awaited.items()}
    assert blocking == awaited


@over_rows("name", TWINS)
def test_twins_give_the_same_back_awaited(name: str) -> None:
    blocking, awaited = (str(inspect.signature(call).return_annotation) for call in TWINS[name])
    assert awaited in (blocking, f"Opening[{blocking}]", f"Async{blocking}")
    is_awaited = inspect.iscoroutinefunction(TWINS[name][1]) or awaited.startswith("Opening[")
    assert is_awaited == (name not in NOT_AWAITED)


def test_the_options_of_a_put_are_the_arguments_of_put() -> None:
    taken = [name for name in inspect.signature(queue.Queue.put).parameters if name not in ("self", "data")]
    assert list(get_type_hints(options.PutOptions, vars(queue) | vars(options) | _abc())) == taken


def _abc() -> dict[str, Any]:
    from collections.abc import Mapping

    return {"Mapping": Mapping}


# Docstrings


def written(call: Callable[..., Any]) -> str:
    """The docstring as it stands in the source."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(call)))).body[0]
    assert isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef)
    return ast.get_docstring(tree) or ""


@over_rows("name", TWINS)
def test_one_description_serves_both(name: str) -> None:
    blocking, awaited = TWINS[name]
    kind, _, attribute = name.rpartition(".")
    twin = next((CLASSES[one] for one in CLASSES if one.__name__ == kind), None)
    shown = awaited if twin is None else inspect.getattr_static(twin, attribute)
    assert (shown.__doc__ or "") == joined(written(awaited), written(blocking))
    own = written(awaited)
    shared = {line.strip() for line in written(blocking).splitlines() if line.strip()}
    assert not shared & {line.strip() for line in own.splitlines()}, "said already, by the blocking call"
    assert not re.search(r"^- `", own, re.MULTILINE), "arguments are described once, by the blocking call"


@over_rows("name", TWINS)
def test_the_arguments_that_are_described_are_there(name: str) -> None:
    taken = set(parameters(TWINS[name][0]))
    for line in re.findall(r"^- (`\w+`(?:, `\w+`)*)(?: \([^)]*\))?:", written(TWINS[name][0]), re.MULTILINE):
        assert set(re.findall(r"\w+", line)) <= taken


@pytest.mark.parametrize("name", ["Queue.put", "Queue.get", "QueueManager.queue"])
def test_every_argument_is_described(name: str) -> None:
    described = set(re.findall(r"`(\w+)`", written(TWINS[name][0])))
    assert set(parameters(TWINS[name][0])) - {"self", "name"} <= described


def test_what_is_for_the_blocking_api_only_is_left_out() -> None:
    blocking = """Do it, `with qm.transaction():`.

    Interrupted by Ctrl-C, it stops.

    Each thread has one.

    - `a`: one.
    """
    assert joined("", blocking) == "Do it, `async with qm.transaction():`.\n\n- `a`: one."
    assert joined("Cancelled, no.", blocking).split("\n\n")[1:] == ["Cancelled, no.", "- `a`: one."]
    assert joined("In a task.", "In a thread.\n\nMore.") == "In a task.\n\nMore."
