"""A role that begins, and then does nothing for a long time."""

import os
import sys
import time
from pathlib import Path

(Path(sys.argv[1]) / "starts").write_text(f"{os.getpid()}\n")
time.sleep(600)
