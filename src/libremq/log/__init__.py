"""The log manager: records, pages, extents, writer, restart scan."""
