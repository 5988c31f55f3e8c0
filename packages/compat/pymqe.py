"""The module under pymqi: `libremq.compat.pymqe` under the name that the package looks for."""

import sys

from libremq.compat import pymqe

sys.modules[__name__] = pymqe
