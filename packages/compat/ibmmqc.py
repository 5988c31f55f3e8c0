"""The module under ibmmq: `libremq.compat.ibmmqc` under the name that the package looks for."""

import sys

from libremq.compat import ibmmqc

sys.modules[__name__] = ibmmqc
