"""CPU that encrypted data sets cost: logs, page sets, shared message data sets. Pages are 4 KB."""

from __future__ import annotations

from typing import Any

from libremq.pipeline.models.arithmetic import Flag, Quantity, chosen, rounded_up
from libremq.pipeline.models.registry import model

ARCHIVE_US_PER_MB = 154.0
ACTIVE_US_PER_MB = 180.0
PAGE_SET_READ_US_PER_PAGE = 0.7
PAGE_SET_IMMEDIATE_US_PER_PAGE = 0.7
PAGE_SET_WRITE_US_PER_PAGE = 2.6
PAGE_SET_WRITE_US_PER_IO = 41.6
"""A write of sixteen pages."""
SMDS_PUT_US_PER_PAGE = 0.7
SMDS_LOCAL_GET_US_PER_PAGE = 0.7
SMDS_REMOTE_GET_US_PER_PAGE = 0.8
SMDS_GET_APPLICATION_US_PER_PAGE = -0.1
"""The application pays less: an SRB of the queue manager does the work (0.8 local, 0.9 remote), in no statistic."""


@model("encryption", "R-130", "L5314-L5329", "calls")
def log_crypto_calls_per_page(active_copies: Quantity, archive_copies: Quantity) -> Any:
    """How often is a logged page encrypted or decrypted? Archiving reads one copy back. [L5329] R-130."""
    return active_copies + archive_copies + 1


@model("encryption", "R-130", "L5331-L5357", "us")
def active_log_encryption_us(
    logged_mb: Quantity, active_copies: Quantity = 2, us_per_mb: Quantity = ACTIVE_US_PER_MB
) -> Any:
    """What does encrypting the active logs cost, with the read for archiving? [L5350] R-130."""
    return logged_mb * us_per_mb * (active_copies + 1)


@model("encryption", "R-130", "L5331-L5357", "us")
def archive_log_encryption_us(
    logged_mb: Quantity, archive_copies: Quantity = 2, us_per_mb: Quantity = ARCHIVE_US_PER_MB
) -> Any:
    """What does encrypting the archive logs cost? [L5349] R-130."""
    return logged_mb * us_per_mb * archive_copies


@model("encryption", "R-130", "L5331-L5357", "us")
def log_encryption_us(logged_mb: Quantity, active_copies: Quantity = 2, archive_copies: Quantity = 2) -> Any:
    """What does encrypting active and archive logs cost together? [L5357] R-130."""
    return active_log_encryption_us(logged_mb, active_copies) + archive_log_encryption_us(logged_mb, archive_copies)


@model("encryption", "R-131", "L5382-L5392", "us")
def page_set_encryption_us(read_pages: Quantity, immediate_pages: Quantity, written_pages: Quantity) -> Any:
    """What does an encrypted page set cost, by pages read, written at once and written deferred? [L5382] R-131."""
    return (
        PAGE_SET_READ_US_PER_PAGE * read_pages
        + PAGE_SET_IMMEDIATE_US_PER_PAGE * immediate_pages
        + PAGE_SET_WRITE_US_PER_PAGE * written_pages
    )


@model("encryption", "R-131", "L5382-L5392", "us")
def page_set_deferred_encryption_us(writes: Quantity, us_per_write: Quantity = PAGE_SET_WRITE_US_PER_IO) -> Any:
    """The deferred part by writes of sixteen pages. [L5386] R-131."""
    return writes * us_per_write


@model("encryption", "R-132", "L5425-L5447", "pages")
def smds_pages_per_message(message_bytes: Quantity) -> Any:
    """How many pages of a data set does a message take? [L5425] R-132."""
    return rounded_up(message_bytes / 4096.0)


@model("encryption", "R-132", "L5425, L5519-L5525", "us")
def smds_put_encryption_us(pages: Quantity, us_per_page: Quantity = SMDS_PUT_US_PER_PAGE) -> Any:
    """What does a put to an encrypted data set cost the application more? [L5425] R-132."""
    return pages * us_per_page


@model("encryption", "R-132", "L5431-L5447, L5519-L5525", "us")
def smds_get_encryption_us(pages: Quantity, remote: Flag = False, from_buffer: Flag = False) -> Any:
    """What does a get from an encrypted data set cost more, application and queue manager together? [L5522] R-132."""
    us = pages * chosen(remote, SMDS_REMOTE_GET_US_PER_PAGE, SMDS_LOCAL_GET_US_PER_PAGE)
    return chosen(from_buffer, 0.0, us)


@model("encryption", "R-132", "L5431-L5447, L5498", "us")
def smds_get_encryption_queue_manager_us(pages: Quantity, remote: Flag = False) -> Any:
    """The part of it in the queue manager, which no statistic shows. [L5498] R-132."""
    per_page = chosen(remote, SMDS_REMOTE_GET_US_PER_PAGE, SMDS_LOCAL_GET_US_PER_PAGE)
    return pages * (per_page - SMDS_GET_APPLICATION_US_PER_PAGE)


@model("encryption", "R-133", "L5504", "us")
def shared_persistent_encryption_us(
    message_bytes: Quantity, logged_bytes: Quantity, remote: Flag = False, from_buffer: Flag = False
) -> Any:
    """What does encryption cost a persistent shared message, put and got, dual logs and archives? [L5504] R-133."""
    pages = smds_pages_per_message(message_bytes)
    smds = smds_put_encryption_us(pages) + smds_get_encryption_us(pages, remote, from_buffer)
    return log_encryption_us(logged_bytes / 1048576.0) + smds
