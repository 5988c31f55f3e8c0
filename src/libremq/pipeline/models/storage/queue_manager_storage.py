"""Storage of the queue manager's address space and of the common area, by what uses it."""

from __future__ import annotations

from typing import Any, Final

from libremq.pipeline.models.arithmetic import Quantity, larger, rounded_up
from libremq.pipeline.models.registry import model
from libremq.pipeline.models.units import KB

CSA_BASE_MB: Final = 6.0
CSA_KB_LOCAL: Final = 2.47
"""Local connections, message channels, server connections with SHARECNV(0), V7.1 to V9.3 [L2370]."""
CSA_KB_SHARECNV_1: Final = 4.9
CSA_KB_SHARECNV_5: Final = 3.0
CSA_KB_SHARECNV_10: Final = 2.7
"""Where 5 or 10 clients do share an instance [L2372-L2373]."""

HANDLE_KB: Final = 4.0
QSG_MEMBER_MB: Final = 27.0
STRUCTURE_PRIVATE_KB: Final = 800.0
STRUCTURE_ESQA_KB: Final = 2.0
STRUCTURE_ECSA_KB: Final = 4.0
STRUCTURE_BACKUP_MB: Final = 65.0
CLUSTER_CACHE_MIN_MB: Final = 2.0
CLUSTER_CACHE_COPIES: Final = 2


@model("storage", "R-VST-03", "L2362-L2373", "KB")
def csa_kb(connections: Quantity, connection_kb: Quantity = CSA_KB_LOCAL, base_mb: Quantity = CSA_BASE_MB) -> Any:
    """Common storage of a queue manager with so many connections of one kind [L2362] (R-VST-03, T-21)."""
    return base_mb * KB + connections * connection_kb


@model("storage", "R-VST-04", "L2416-L2418", "KB")
def handle_storage_kb(handles: Quantity, handle_kb: Quantity = HANDLE_KB) -> Any:
    """Storage of the open object handles [L2416] (R-VST-04)."""
    return handles * handle_kb


@model("storage", "R-VST-06", "L2431-L2437", "KB")
def sharing_group_private_kb(
    structures: Quantity,
    structure_backups: Quantity = 0,
    member_mb: Quantity = QSG_MEMBER_MB,
    structure_kb: Quantity = STRUCTURE_PRIVATE_KB,
    backup_mb: Quantity = STRUCTURE_BACKUP_MB,
) -> Any:
    """Private storage that a sharing group adds; `structure_backups` 1 once one was taken [L2431] (R-VST-06)."""
    return member_mb * KB + structures * structure_kb + structure_backups * backup_mb * KB


@model("storage", "R-VST-06", "L2433", "KB")
def sharing_group_esqa_kb(structures: Quantity, structure_kb: Quantity = STRUCTURE_ESQA_KB) -> Any:
    """ESQA for the application structures in use [L2433] (R-VST-06)."""
    return structures * structure_kb


@model("storage", "R-VST-06", "L2433", "KB")
def sharing_group_ecsa_kb(structures: Quantity, structure_kb: Quantity = STRUCTURE_ECSA_KB) -> Any:
    """ECSA for the application structures in use [L2433] (R-VST-06)."""
    return structures * structure_kb


@model("storage", "R-VST-07", "L2441-L2443", "MB")
def cluster_cache_mb(configuration_mb: Quantity) -> Any:
    """Both copies of the cluster cache: the configuration in whole MB and one more [L2443] (R-VST-07)."""
    return CLUSTER_CACHE_COPIES * larger(CLUSTER_CACHE_MIN_MB, rounded_up(configuration_mb) + 1)
