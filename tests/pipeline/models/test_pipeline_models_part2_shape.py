"""Every model of the second and third part is tested, says where it comes from, and needs no PySpark for numbers."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

from test_pipeline_models_part2_answers import CASES as ANSWERS_PART_2
from test_pipeline_models_part3_answers import CASES as ANSWERS_PART_3

from helper_rows import over_rows
from libremq.pipeline.models.loaded_models import known_models
from libremq.pipeline.models.published.fixtures_part2 import FIXTURES_PART_2
from libremq.pipeline.models.published.fixtures_part3 import FIXTURES_PART_3
from libremq.pipeline.models.registry import Model

_MODULES = [
    "batching",
    "channel_cost",
    "channel_start",
    "chinit_storage",
    "chinit_tasks",
    "commit_cost",
    "comparisons",
    "compression_cost",
    "encryption",
    "get_cost",
    "ims_bridge",
    "log_devices",
    "log_latency",
    "lspr",
    "network",
    "pool_statistics",
    "scm",
    "shared_access",
    "shared_messages",
    "single_server",
    "tempdyn",
    "tiers",
    "tls_cost",
    "zedc",
    "zhyperlink",
    "zhyperwrite",
]
_OURS = [model for model in known_models().values() if model.function.__module__.rsplit(".", 1)[1] in _MODULES]


def test_every_model_has_a_figure_or_an_answer() -> None:
    tested = {fixture.model for fixture in (*FIXTURES_PART_2, *FIXTURES_PART_3)}
    tested |= {name for name, _, _ in (*ANSWERS_PART_2, *ANSWERS_PART_3)}
    assert {model.name for model in _OURS} == tested


@over_rows("model", _OURS, ids=lambda model: model.name)
def test_a_model_says_where_it_comes_from(model: Model) -> None:
    assert re.search(r"\[L\d{4}\]", model.question), model.question
    cited = int(re.findall(r"\[L(\d{4})\]", model.question)[0])
    spans = re.findall(r"L(\d{4})(?:-L(\d{4}))?", model.lines)
    assert any(int(first) <= cited <= int(last or first) for first, last in spans), (cited, model.lines)
    assert re.fullmatch(r"[RT]-[A-Z]*-?\d+[a-z]?", model.fact), model.fact
    assert model.unit
    assert model.inputs


def test_a_defective_figure_is_not_in_the_fixtures() -> None:
    """The figures that the fact files call wrong, with the lines they stand in."""
    wrong = {
        ("L3510", 14310e6),
        ("L3058", 24),
        ("L5915", 19),
        ("L6665", 1.04),
        ("L7586", 200),
        ("L7783", 72845),
        ("L4746", -2.2),
    }
    assert not {(fixture.lines, fixture.source) for fixture in (*FIXTURES_PART_2, *FIXTURES_PART_3)} & wrong


def test_numbers_need_no_pyspark() -> None:
    program = (
        "import sys; sys.modules['pyspark'] = None\n"
        "from libremq.pipeline.models.published.fixtures_part2 import FIXTURES_PART_2\n"
        "from libremq.pipeline.models.published.fixtures_part3 import FIXTURES_PART_3\n"
        "assert all(fixture.agrees(fixture.ours) for fixture in (*FIXTURES_PART_2, *FIXTURES_PART_3))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_input_is_named_for_what_it_is() -> None:
    bare = {"size", "rate", "time", "n", "x", "value", "kb", "mb"}
    assert not [
        (model.name, name) for model in _OURS for name in inspect.signature(model.function).parameters if name in bare
    ]
