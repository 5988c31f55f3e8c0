"""`make mutants`: small bugs planted in the source, one at a time, and who of the tests notices.

    python -m soak.mutants [--sample 40] [--seed N] [--minutes M] [--rooms kernel/verbs,log] [--wide] [--keep FILE]

A sample of changes, by seed, is tried in a copy of the source: a comparison moved by one, a condition turned round, a
check, a call or an assignment left out, a number one higher. First the tests of the module itself run, the ones that
whoever changed it would run: the file of its name, and the folder that mirrors its own. With `--wide`, those that
nobody there noticed go on to the transcripts, the models and the crash points. What survives is printed last, to be
judged by hand: a test is missing, or the change is none (docs/internals/testing.md). Not part of `make test`.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from soak.changed_source import HOME, SOURCE, first_failure, source_of

_TESTS = HOME / "tests"
ROOMS = (
    "kernel/verbs", "kernel/state", "kernel/units", "kernel/recovery", "kernel/authority", "kernel/messages", "store",
    "log", "wire", "security", "host",
)  # fmt: skip
WIDE = ("transcripts", "model", "crash/test_crash_random.py")
_SAMPLE = 40


@dataclass(frozen=True)
class Mutant:
    """One place of a module, and what stands there instead."""

    path: str
    line: int
    start: int
    end: int
    text: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


# Making them

_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"), ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.BitAnd: ("&", "|"), ast.BitOr: ("|", "&"),
}  # fmt: skip
_QUIET = ("say", "append_note", "warn")  # what they say is not what this is about


class Places:
    """Walks the functions of a module: tables, annotations and texts are left alone."""

    def __init__(self, path: str, source: str) -> None:
        self._path = path
        self._bytes = source.encode()
        self._starts = [0]
        for line in self._bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._tree = ast.parse(source)

    def mutants(self) -> Iterator[Mutant]:
        for function in ast.walk(self._tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                for statement in function.body:
                    yield from self._of(statement)

    def _of(self, node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assert | ast.JoinedStr):
            return  # functions inside others are walked by themselves
        if isinstance(node, ast.stmt):
            yield from self._left_out(node)
        yield from self._changed(node)
        for name, value in ast.iter_fields(node):
            if name == "annotation" or (isinstance(node, ast.Raise) and name == "exc"):
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self._of(child)

    def _left_out(self, node: ast.stmt) -> Iterator[Mutant]:
        match node:
            case ast.Expr(value=ast.Call(func=func)) if not (isinstance(func, ast.Attribute) and func.attr in _QUIET):
                yield self._mutant(node, "pass", "left out")
            case ast.AugAssign() | ast.Delete() | ast.Raise():
                yield self._mutant(node, "pass", "left out")
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield self._mutant(node, "pass", "left out")
            case ast.If(test=test) | ast.While(test=test):
                yield self._mutant(test, "False", "never")
            case ast.Continue():
                yield self._mutant(node, "break", "ends the loop")

    def _changed(self, node: ast.AST) -> Iterator[Mutant]:
        match node:
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
                yield from self._operator(left, right, *_COMPARISONS[type(op)])
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _ARITHMETIC:
                yield from self._operator(left, right, *_ARITHMETIC[type(operator)])
            case ast.BoolOp(op=ast.And() as word, values=values) | ast.BoolOp(op=ast.Or() as word, values=values):
                words = ("and", "or") if isinstance(word, ast.And) else ("or", "and")
                for left, right in pairwise(values):
                    yield from self._operator(left, right, *words)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield self._mutant(node, f"({self._text(operand)})", "not left out")
            case ast.Constant(value=bool() as value):
                yield self._mutant(node, str(not value), f"{not value} instead")
            case ast.Constant(value=int() as value):
                yield self._mutant(node, str(value + 1), f"{value + 1} instead")

    def _operator(self, left: ast.expr, right: ast.expr, old: str, new: str) -> Iterator[Mutant]:
        """The operator between two operands, if nothing but it and blanks stands there."""
        begin, end = self._end(left), self._begin(right)
        between = self._bytes[begin:end].decode()
        if between.strip() == old:
            at = begin + between.index(old)
            yield Mutant(self._path, left.end_lineno or 0, at, at + len(old), new, f"{new} for {old}")

    def _mutant(self, node: ast.expr | ast.stmt | ast.AST, text: str, what: str) -> Mutant:
        assert isinstance(node, ast.expr | ast.stmt)
        shown = " ".join(self._text(node).split())[:60]
        return Mutant(self._path, node.lineno, self._begin(node), self._end(node), text, f"{what}: {shown}")

    def _begin(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr | ast.stmt) -> str:
        return self._bytes[self._begin(node) : self._end(node)].decode()


def mutants_of(room: str) -> list[Mutant]:
    """All of a room."""
    found: list[Mutant] = []
    for file in sorted((SOURCE / room).glob("*.py")):
        module = str(file.relative_to(SOURCE))
        found += Places(module, source_of(module)).mutants()
    return found


def is_python(mutant: Mutant) -> bool:
    """Some are not: an operator of a condition that has several."""
    try:
        ast.parse(changed(mutant))
    except SyntaxError:
        return False
    return True


def changed(mutant: Mutant) -> str:
    """The module with it."""
    content = source_of(mutant.path).encode()
    return (content[: mutant.start] + mutant.text.encode() + content[mutant.end :]).decode()


# Trying them


def mirrored(path: str) -> list[str]:
    """The tests that whoever changed the module would run: those of its name first, then those of its folder."""
    module, folder = Path(path).stem, Path(path).parent
    room = _TESTS / folder
    named = sorted(str(file.relative_to(HOME)) for file in room.glob("test_*.py") if module in file.stem)
    return [*named, str(room.relative_to(HOME))] if room.is_dir() else named


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="soak.mutants", description="Plant small bugs and see who notices.")
    parser.add_argument("--sample", type=int, default=_SAMPLE, help=f"how many (default {_SAMPLE})")
    parser.add_argument("--seed", type=int, help="of the sample")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin none after so many minutes")
    parser.add_argument("--rooms", default=",".join(ROOMS), help="folders of src/libremq, with commas")
    parser.add_argument("--wide", action="store_true", help="survivors also meet transcripts, models and crash points")
    parser.add_argument("--keep", type=Path, help="a file for the outcomes, as they come")
    chosen = parser.parse_args(arguments)
    seed = chosen.seed if chosen.seed is not None else int(time.time())
    every = [mutant for room in chosen.rooms.split(",") for mutant in mutants_of(room)]
    sample = random.Random(seed).sample(every, min(chosen.sample, len(every)))
    print(f"mutants: {len(sample)} of {len(every)}, seed {seed}", flush=True)
    until = time.monotonic() + chosen.minutes * 60
    outcomes: Counter[str] = Counter()
    survivors = []
    for mutant in filter(is_python, sample):
        if time.monotonic() > until:
            break
        content = changed(mutant)
        found, where = first_failure(mutant.path, content, mirrored(mutant.path)), "its own tests"
        if not found and chosen.wide:
            found, where = first_failure(mutant.path, content, [f"tests/{one}" for one in WIDE]), "others"
        outcomes[f"found by {where}" if found else "survived"] += 1
        if not found:
            survivors.append(mutant)
        line = f"{mutant}: {found or 'SURVIVED'}"
        print(line, flush=True)
        if chosen.keep:
            with chosen.keep.open("a", encoding="utf-8") as keep:
                keep.write(line + "\n")
    print(", ".join(f"{count} {name}" for name, count in sorted(outcomes.items())))
    for mutant in survivors:
        print(f"survived: {mutant}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
