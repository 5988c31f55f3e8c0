"""qm.ini: the settings of a queue manager that are no attributes of an object, read and written.

Every setting is a row of `SETTINGS`: stanza, key, default, range, and whether it is fixed when the queue manager is
created. A number that is too high is refused, one that is too low gives way to the default (with a warning): a log that
is larger than anyone meant would fill a disk, a default never does. What the file holds beside that is kept, comments
and keys of other releases too, and unknown keys are reported with their line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from libremq.common.files.file_layer import Files, replace_file
from libremq.common.files.stanza_file import Entry, StanzaFile, shown
from libremq.common.log_stanza import LOG_SETTINGS
from libremq.common.log_stanza import LogSettings as LogSettings
from libremq.common.setting import LOG, Section, Setting, checked_section, message_numbers, usable
from libremq.common.setting import ConfigurationError as ConfigurationError
from libremq.common.unkept_settings import unkept

FILE_NAME = "qm.ini"
FILE_BYTES_MAX = 1 << 20

_TUNING = "TuningParameters"
_CHANNELS = "Channels"
_TCP = "TCP"
_ERROR_LOG = "QMErrorLog"
_DIAGNOSTICS = "DiagnosticMessages"
_SECURITY = "Security"
_PREFACE = (
    f"# {FILE_NAME}: settings of the queue manager, read when it starts. LogType, LogFilePages and LogPath were fixed "
    "when it\n# was created.\n"
)


SETTINGS: tuple[Setting, ...] = (
    *LOG_SETTINGS,
    Setting(
        _TUNING, "CheckPointLogRecdMax", "checkpoint_records_max", 50_000, False,
        "a checkpoint is due after so many logged operations", 1000, 100_000,
    ),
    Setting(
        _TUNING, "CheckPointLogRecdMin", "checkpoint_records_min", 100, False,
        "operations without which a timed checkpoint is left out", 0, 2000,
    ),
    Setting(
        _TUNING, "CheckPointWaitLen", "checkpoint_wait_minutes", 30, False, "minutes between timed checkpoints", 5, 60
    ),
    Setting(
        _TUNING, "CheckPointDelay", "checkpoint_delay_ms", 500, False,
        "milliseconds that a checkpoint pauses after each megabyte", 0, 10_000,
    ),
    Setting(
        _TUNING, "DefaultQBufferSize", "queue_buffer_bytes", 128 * 1024, False,
        "bytes of non-persistent messages of a queue that stay in memory", 4096, 100 << 20,
    ),
    Setting(
        _TUNING, "DefaultPQBufferSize", "persistent_queue_buffer_bytes", 256 * 1024, False,
        "bytes of persistent messages of a queue that stay in memory", 4096, 100 << 20,
    ),
    Setting(
        _TUNING, "LogWriteTimeTrap", "log_write_time_trap_ms", 0, False,
        "milliseconds from which a write of the log is reported; 0: never", 0, 3_600_000,
    ),
    Setting(
        _CHANNELS, "MaxChannels", "channels_max", 0, False,
        "channels of clients and partners that are not inactive; 0: as many as open files and memory allow", 1, 65535,
    ),
    Setting(
        _CHANNELS, "MaxActiveChannels", "active_channels_max", 0, False,
        "those of them that are not stopped and do not wait; 0: no limit", 1, 65535,
    ),
    Setting(
        _CHANNELS, "PipeLineLength", "pipeline_length", 1, False,
        "2: a sender begins the next batch while the one before is being confirmed", 1, 2,
    ),
    Setting(
        _CHANNELS, "MaxInitiators", "initiators_max", 3, False,
        "initiation queues that the channel initiator reads", 1, 3,
    ),
    Setting(
        _CHANNELS, "AdoptNewMCA", "adopt_new_mca", "ALL", False,
        "ALL: a partner that calls again takes over from its last connection, if that is still thought to be there",
        choices=("ALL", "NO"),
    ),
    Setting(
        _CHANNELS, "AdoptNewMCACheck", "adopt_new_mca_check", "ALL", False,
        "ALL: the queue manager and its address must be those of the last connection; QM: the queue manager",
        choices=("ALL", "QM"),
    ),
    Setting(_TCP, "Port", "port", 1414, False, "port of the listener if nothing else names one", 1, 65535),
    Setting(
        _TCP, "KeepAlive", "keep_alive", "Yes", False, "does the system look whether silent peers are still there?",
        choices=("Yes", "No"),
    ),
    Setting(
        _TCP, "Connect_Timeout", "connect_timeout_s", 30, False,
        "seconds in which an address that a channel calls must answer, before the next one is tried", 1, 3600,
    ),
    Setting(
        _TCP, "MaxPendingConnections", "pending_max", 4000, False,
        "connections over which nobody has logged in yet; at most half of the sockets that there may be", 1, 65535,
    ),
    Setting(
        _TCP, "MaxPendingPerAddress", "pending_per_address_max", 1000, False,
        "those of one address; at most a quarter of the sockets that there may be", 1, 65535,
    ),
    Setting(
        _ERROR_LOG, "ErrorLogSize", "file_bytes_max", 32 << 20, False,
        "bytes from which the error log begins a new file", 32 << 10, 2 << 30,
    ),
    Setting(
        _ERROR_LOG, "ExcludeMessage", "exclude_messages", "", False,
        "messages that are left out of the error log", messages=True,
    ),
    Setting(
        _ERROR_LOG, "SuppressMessage", "suppress_messages", "", False,
        "messages that are written once in SuppressInterval, and counted meanwhile", messages=True,
    ),
    Setting(
        _ERROR_LOG, "SuppressInterval", "suppress_interval_s", 30, False,
        "seconds in which a message of SuppressMessage is written once", 1, 86400,
    ),
    Setting(
        _DIAGNOSTICS, "Service", "service", "File", False, "where messages go beside AMQERR01.LOG", choices=("File",),
    ),
    Setting(
        _DIAGNOSTICS, "Format", "format", "text", False, "json: AMQERR01.json has all messages, too",
        choices=("text", "json"),
    ),
    Setting(
        _SECURITY, "AdminUsers", "admin_users", "", False,
        "users who may do everything, beside the members of mqm and the owner", users=True,
    ),
    Setting(
        _SECURITY, "SecurityPolicy", "policy", "User", False,
        "UserExternal: also users that neither the system nor users.json knows may have authority records",
        choices=("User", "UserExternal"),
    ),
    Setting(
        _SECURITY, "ClusterQueueAccessControl", "remote_queues", "Xmitq", False,
        "what is checked for a queue name with the name of another queue manager: the transmission queue, or that name",
        choices=("Xmitq", "RQMName"),
    ),
    Setting(_DIAGNOSTICS, "Name", "name", "", False, "a name for this stanza"),
)  # fmt: skip

FIXED_AT_CREATION = tuple(setting.key for setting in SETTINGS if setting.fixed)
CHANGED_BY_RESTART = tuple(setting.key for setting in SETTINGS if not setting.fixed)

_BY_KEY = {(setting.stanza.casefold(), setting.key.casefold()): setting for setting in SETTINGS}
_STANZAS = {setting.stanza.casefold() for setting in SETTINGS}


@dataclass(frozen=True, slots=True)
class TuningSettings:
    """The `TuningParameters:` stanza."""

    checkpoint_records_max: int = 50_000
    checkpoint_records_min: int = 100
    checkpoint_wait_minutes: int = 30
    checkpoint_delay_ms: int = 500
    queue_buffer_bytes: int = 128 * 1024
    persistent_queue_buffer_bytes: int = 256 * 1024
    log_write_time_trap_ms: int = 0

    def checked(self) -> TuningSettings:
        """As for `LogSettings`."""
        return _checked(self, _TUNING)[0]


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """The `Channels:` stanza."""

    channels_max: int = 0
    active_channels_max: int = 0
    pipeline_length: int = 1
    initiators_max: int = 3
    adopt_new_mca: str = "ALL"
    adopt_new_mca_check: str = "ALL"


@dataclass(frozen=True, slots=True)
class TcpSettings:
    """The `TCP:` stanza."""

    port: int = 1414
    keep_alive: str = "Yes"
    connect_timeout_s: int = 30
    pending_max: int = 4000
    pending_per_address_max: int = 1000


@dataclass(frozen=True, slots=True)
class ErrorLogSettings:
    """The `QMErrorLog:` stanza."""

    file_bytes_max: int = 32 << 20
    exclude_messages: str = ""
    suppress_messages: str = ""
    suppress_interval_s: int = 30

    @property
    def excluded(self) -> tuple[int, ...]:
        return message_numbers(self.exclude_messages)

    @property
    def suppressed(self) -> tuple[int, ...]:
        return message_numbers(self.suppress_messages)


@dataclass(frozen=True, slots=True)
class DiagnosticSettings:
    """The `DiagnosticMessages:` stanza."""

    service: str = "File"
    format: str = "text"
    name: str = ""


@dataclass(frozen=True, slots=True)
class SecuritySettings:
    """The `Security:` stanza."""

    admin_users: str = ""
    policy: str = "User"
    remote_queues: str = "Xmitq"

    @property
    def administrators(self) -> frozenset[str]:
        return frozenset(name for name in self.admin_users.split(",") if name)


@dataclass(frozen=True, slots=True)
class Configuration:
    """All settings, and what was odd about them when they were read or checked."""

    log: LogSettings = field(default=LogSettings())
    tuning: TuningSettings = TuningSettings()
    channels: ChannelSettings = ChannelSettings()
    tcp: TcpSettings = TcpSettings()
    error_log: ErrorLogSettings = ErrorLogSettings()
    diagnostics: DiagnosticSettings = DiagnosticSettings()
    security: SecuritySettings = SecuritySettings()
    warnings: tuple[str, ...] = field(default=(), compare=False)

    def checked(self) -> Configuration:
        sections: dict[str, Any] = {}
        warnings = [*self.warnings]
        for stanza, name in _SECTIONS.items():
            sections[name], more = _checked(getattr(self, name), stanza)
            warnings += more
        return Configuration(**sections, warnings=tuple(warnings))

    def value(self, setting: Setting) -> Any:
        return getattr(getattr(self, _SECTIONS[setting.stanza]), setting.field)


_SECTIONS = {
    LOG: "log",
    _TUNING: "tuning",
    _CHANNELS: "channels",
    _TCP: "tcp",
    _ERROR_LOG: "error_log",
    _DIAGNOSTICS: "diagnostics",
    _SECURITY: "security",
}


def _checked(section: Section, stanza: str) -> tuple[Section, list[str]]:
    settings = (setting for setting in SETTINGS if setting.stanza == stanza)
    if isinstance(section, LogSettings):
        return checked_section(section, settings, LogSettings.together)
    return checked_section(section, settings)


# ---- the file ----


def exists(files: Files, folder: str) -> bool:
    return files.exists(f"{folder}/{FILE_NAME}")


def load(files: Files, folder: str) -> Configuration:
    """Read qm.ini in the queue manager's folder. ConfigurationError names every line that cannot be used.

    Without the file the defaults apply, with a warning that says so.
    """
    path = f"{folder}/{FILE_NAME}"
    content = _read(files, path)
    if content is None:
        return Configuration(warnings=(f"{path}: there is no such file: the defaults apply",))
    return _interpret(StanzaFile(content), path)


def parse(text: str, where: str = FILE_NAME) -> Configuration:
    """The configuration that a text of stanzas describes; `where` is named in messages."""
    return _interpret(StanzaFile(text), where)


def _interpret(content: StanzaFile, path: str) -> Configuration:
    notes = [(line, f"{text}; ignored") for line, text in content.problems]
    for header in content.headers:
        if header.stanza.casefold() not in _STANZAS:
            notes.append((header.line, f"stanza {shown(header.stanza)} is not used here; kept"))
    problems: list[tuple[int, str]] = []
    values: dict[str, dict[str, Any]] = {stanza: {} for stanza in _SECTIONS}
    for entry in content.entries:
        setting = _BY_KEY.get((entry.stanza.casefold(), entry.key.casefold()))
        if setting is None:
            if wrong := unkept(entry.stanza, entry.key, entry.value):
                problems.append((entry.line, wrong))
            if entry.stanza.casefold() in _STANZAS:
                text = f"{shown(entry.key)} is no key of stanza {entry.stanza}; kept, without effect"
                notes.append((entry.line, text))
            continue
        counts = content.find(entry.stanza, entry.key)
        if counts is not None and counts.line != entry.line:
            notes.append((entry.line, f"{setting.key} is given again in line {counts.line}, which counts"))
            continue
        try:
            values[setting.stanza][setting.field], warning = usable(setting, entry.value)
        except ValueError as error:
            problems.append((entry.line, str(error)))
        else:
            notes += [(entry.line, warning)] if warning else []
    log = LogSettings(**values[LOG])
    if not problems:
        problems = [(_line_of(content, "LogPrimaryFiles", "LogSecondaryFiles"), text) for text in log.together()]
    if problems:
        raise ConfigurationError([f"line {line}: {text}" for line, text in sorted(problems)], path)
    warnings = tuple(f"{path}, line {line}: {text}" for line, text in sorted(notes))
    return Configuration(
        log,
        TuningSettings(**values[_TUNING]),
        ChannelSettings(**values[_CHANNELS]),
        TcpSettings(**values[_TCP]),
        ErrorLogSettings(**values[_ERROR_LOG]),
        DiagnosticSettings(**values[_DIAGNOSTICS]),
        SecuritySettings(**values[_SECURITY]),
        warnings,
    )


def _line_of(content: StanzaFile, *keys: str) -> int:
    return max((entry.line for key in keys if (entry := content.find(LOG, key)) is not None), default=1)


def save(files: Files, folder: str, configuration: Configuration) -> None:
    """Write qm.ini: whatever happens, it is there afterwards as it was or with these settings. Durable on return.

    Lines that say what the settings say stay as they are, and so do comments and what is not known here. A new file
    gets every key of the `Log:` stanza, so that an administrator sees what there is to change.
    """
    configuration = configuration.checked()
    path = f"{folder}/{FILE_NAME}"
    old = _read(files, path)
    content = StanzaFile(_PREFACE if old is None else old)
    for setting in SETTINGS:
        value = configuration.value(setting)
        entry = content.find(setting.stanza, setting.key)
        if entry is not None:
            if _effective(setting, entry) != value:
                content.set(setting.stanza, setting.key, str(value))
        elif value != setting.default or (old is None and setting.stanza == LOG and value != ""):
            content.set(setting.stanza, setting.key, str(value))
    replace_file(files, path, content.text().encode("utf-8", "surrogateescape"))


def _effective(setting: Setting, entry: Entry) -> int | str | None:
    """What an entry amounts to; None if it cannot be used."""
    try:
        return usable(setting, entry.value)[0]
    except ValueError:
        return None


def _read(files: Files, path: str) -> str | None:
    """The text of the file; None if it is not there."""
    try:
        file = files.open(path)
    except FileNotFoundError:
        return None
    try:
        size = file.size()
        if size > FILE_BYTES_MAX:
            problem = f"it has {size} bytes, more than {FILE_BYTES_MAX}: no configuration file; put back the right one"
            raise ConfigurationError([problem], path)
        return file.read(0, size).decode("utf-8", "surrogateescape")
    finally:
        file.close()


# ---- changes ----


def changes(old: Configuration, new: Configuration) -> list[str]:
    """A sentence for each setting that differs, for the next start. ConfigurationError if one of them is fixed."""
    differing = [setting for setting in SETTINGS if old.value(setting) != new.value(setting)]
    fixed = [
        f"{setting.key} was fixed as {_named(old, setting)} when the queue manager was created and cannot become "
        f"{_named(new, setting)}: put it back, or create another queue manager and move the messages"
        for setting in differing
        if setting.fixed
    ]
    if fixed:
        raise ConfigurationError(fixed)
    return [
        f"{setting.key} changes from {_named(old, setting)} to {_named(new, setting)} with the next start"
        for setting in differing
    ]


def _named(configuration: Configuration, setting: Setting) -> str:
    value = configuration.value(setting)
    return "none" if value == "" else str(value)
