"""The models a condition may call, by name: every module of the models package, read once."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from libremq.pipeline.models.registry import Model


@cache
def known_models() -> dict[str, Model]:
    """All models; a model notes itself when its module is imported."""
    import libremq.pipeline.models as package
    from libremq.pipeline.models.registry import MODELS

    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return MODELS
