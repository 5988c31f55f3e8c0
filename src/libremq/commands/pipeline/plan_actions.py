"""What `libremq plan` does: find the plan, ask for what it wants to know, work it out and show it."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from libremq.common.printable_text import printable
from libremq.pipeline.planner.plan import Input, Plan, Value
from libremq.pipeline.planner.plan_catalogue import PLANS
from libremq.pipeline.planner.reading import PlanError, nearest, read_value
from libremq.pipeline.planner.showing import as_json, as_text, told
from libremq.pipeline.planner.working import Source, Worked, not_asked, work_out
from libremq.pipeline.planner.workload import from_file

USAGE_CODE = 2


def run(arguments: argparse.Namespace) -> int:
    if arguments.plan is None or arguments.list:
        print(printable(listing()), end="")
        return 0
    try:
        plan = PLANS.get(arguments.plan.lower())
        if plan is None:
            name = printable(arguments.plan)
            raise PlanError(f"no plan {name!r}{nearest(name, PLANS)} `libremq plan --list` has them all")
        told_so = options_of(plan).parse_args(arguments.options)
        worked = _worked(plan, told_so)
    except PlanError as error:
        return _complain(str(error))
    print(printable(as_json(worked) if told_so.json else as_text(worked)), end="")
    return 0


def listing() -> str:
    """All plans, one line each."""
    width = max(map(len, PLANS))
    lines = [f"  {plan.name:<{width}}  {plan.title}" for plan in PLANS.values()]
    return "\n".join(["Plans (libremq plan PLAN --help says what each wants to know):", *lines]) + "\n"


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one line, and know which option may have been meant."""

    def error(self, message: str) -> NoReturn:
        raise PlanError(f"{self.prog.removeprefix('libremq ')}: {message}")

    def parse_args(self, args: Sequence[str] | None = None, namespace: object = None) -> argparse.Namespace:  # type: ignore[override]
        known, extra = self.parse_known_args(args)
        if extra:
            options = [option for action in self._actions for option in action.option_strings]
            near = nearest(extra[0].partition("=")[0], options) if extra[0].startswith("-") else ""
            self.error(f"does not know {printable(extra[0])}{near or '; --help lists the options'}")
        return known


def options_of(plan: Plan) -> _Parser:
    """The parser of a plan's options, made from its data."""
    parser = _Parser(
        prog=f"libremq plan {plan.name}",
        usage=f"libremq plan {plan.name} [OPTION VALUE]... [--from FILE] [--tables ROOT [--qmgr QMGR]] [--json]",
        description=f"{plan.title}.",
        epilog=_epilog(plan),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    inputs = parser.add_argument_group("inputs")
    for each in plan.inputs:
        text = _help(each).replace("%", "%%")
        if each.kind == "flag":
            inputs.add_argument(each.option, nargs="?", const="yes", metavar="yes|no", help=text)
        else:
            inputs.add_argument(each.option, metavar=_metavar(each), help=text)
    sources = parser.add_argument_group(
        "where inputs come from (the command line goes first, then file, tables, default)"
    )
    sources.add_argument("--from", dest="file", metavar="FILE", help="a YAML or JSON file with inputs by name")
    sources.add_argument(
        "--tables", metavar="ROOT", help="measure what is left on the conformed tables of a site (Spark)"
    )
    sources.add_argument("--qmgr", metavar="QMGR", help="measure this queue manager only")
    parser.add_argument("--json", action="store_true", help="the same as JSON")
    return parser


def _metavar(each: Input) -> str:
    if each.kind == "word":
        return "WORD"
    return "RBA" if each.kind == "address" else (each.unit.upper().replace(" ", "_") or "NUMBER")


def _help(each: Input) -> str:
    parts = [each.meaning]
    if each.choices:
        parts.append(f"one of: {'; '.join(each.choices)}")
    if each.default is not None:
        parts.append(f"default {told(each.default, '')}")
    elif not each.optional:
        parts.append("required")
    if each.measured:
        parts.append(f"measured as {each.aggregate} of table {each.table}")
    return "; ".join(parts)


def _epilog(plan: Plan) -> str:
    lines: list[str] = []
    if plan.needs:
        options = {each.name: each.option for each in plan.inputs}
        groups = [" and ".join(options[name] for name in group) for group in plan.needs]
        lines += [*textwrap.wrap(f"Give {', or '.join(groups)}.", 100), ""]
    lines += ["Numbers take k, M, G: of sizes binary (5k bytes is 5120, 4G in MB is 4096), of counts decimal.", ""]
    lines += ["example:", f"  libremq plan {plan.name} {plan.example}"]
    return "\n".join(lines)


def _worked(plan: Plan, arguments: argparse.Namespace) -> Worked:
    given: dict[str, Value] = {}
    for each in plan.inputs:
        text = getattr(arguments, each.name)
        if text is not None:
            given[each.name] = read_value(each, text)
    sources = [Source("command line", given)]
    if arguments.file:
        path = Path(arguments.file)
        sources.append(Source(f"file {path.name}", from_file(path, plan, PLANS)))
    if arguments.tables:
        known = {name for source in sources for name in source.values}
        sources.append(_measured(plan, arguments.tables, arguments.qmgr, known | not_asked(plan, known)))
    elif arguments.qmgr:
        raise PlanError("--qmgr says which queue manager to measure, and needs --tables")
    return work_out(plan, *sources)


def _measured(plan: Plan, root: str, qmgr: str | None, leave_out: set[str]) -> Source:
    from libremq.pipeline.storage import is_uri

    try:
        from libremq.pipeline.planner import measuring
        from libremq.pipeline.spark_session import JavaNotFoundError, make_session

        if not is_uri(root):
            measuring.check_root(root, qmgr)
        spark = make_session()
    except ImportError as error:
        raise PlanError("--tables needs Spark: pip install 'libremq[pipeline]'") from error
    except JavaNotFoundError as error:
        raise PlanError(str(error)) from error
    if is_uri(root):
        measuring.check_root(root, qmgr)  # only now can it be seen
    taken = measuring.measured(spark, root, plan, qmgr, leave_out)
    return Source("measured", taken, {each.name: measuring.origin(each, qmgr) for each in plan.inputs})


def _complain(text: str) -> int:
    sys.stdout.flush()
    print(printable(f"libremq plan: {text}"), file=sys.stderr)
    return USAGE_CODE
