"""The turn of this run of the suite: every half day another share of the long campaigns.

The process that starts the workers decides it, and they inherit it: all have to collect the same
tests, also in a run over midnight.
"""

import os
import time

HALF_DAY_S = 43_200

TURN = int(os.environ.setdefault("TOPKICK_SUITE_TURN", str(int(time.time()) // HALF_DAY_S)))
DAY = TURN // 2
