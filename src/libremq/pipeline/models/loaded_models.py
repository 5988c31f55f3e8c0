"""The models a condition may call, by name: every module of the rooms of models, read once."""

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

    published = f"{package.__name__}.published"
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.startswith(published):
            importlib.import_module(module.name)
    return MODELS
