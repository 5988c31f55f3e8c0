"""What one row of the command table says about a command."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from libremq.kernel.objects.attributes import Attribute


class Naming(Enum):
    """Whether a name follows the object word of a command."""

    NONE = "no name"
    FULL = "a name"
    GENERIC = "a name or a generic name"
    OPTIONAL = "a name or none"


@dataclass(frozen=True, slots=True, eq=False)
class CommandSpec:
    verb: str
    object: str
    pcf: tuple[int, ...] = ()
    """MQCMD_*: the first is the command itself, others are its other forms in PCF (COPY, names only)."""
    message: int = 0
    """Number of the AMQ message that tells of success, or heads each thing shown."""
    naming: Naming = Naming.FULL
    table: str = ""
    """Whose attributes it takes (DEFINE, ALTER, SET), shows (DISPLAY), or only what it is about; blank: nothing."""
    options: tuple[Attribute, ...] = ()
    """Its other parameters."""
    required: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    """Words that ask for several attributes at once (DISPLAY)."""
    name_selector: int = 0
    """PCF id of the name, where it is not that of the table's first row."""
    list_selector: int = 0
    """PCF id of the list of attributes that are asked for (DISPLAY)."""
    part: str = ""
    """What a command waits for that does not exist yet: it is read and checked, and then refused."""

    @property
    def words(self) -> str:
        return f"{self.verb} {self.object}"

    @property
    def takes_attributes(self) -> bool:
        """START LISTENER(A) PORT(1415) would say that it listens there, and listen where A does."""
        return self.verb in ("DEFINE", "ALTER", "SET")

    @property
    def shows(self) -> bool:
        return self.verb == "DISPLAY"
