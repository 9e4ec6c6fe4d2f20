"""`python -m topkick.fake_model`: run the scripted model by itself, until Ctrl-C."""

import argparse
import sys
from pathlib import Path

from topkick.fake_model.scenarios import BUILTIN
from topkick.fake_model.scripts import BadScenario, load_scenarios
from topkick.fake_model.server import ModelServer


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m topkick.fake_model")
    parser.add_argument("--port", type=int, default=0, help="a free one if not given")
    parser.add_argument("--scenarios", type=Path, help="more scenarios from a .toml or .json file")
    options = parser.parse_args()
    try:
        more = load_scenarios(options.scenarios) if options.scenarios else {}
        server = ModelServer({**BUILTIN, **more}, port=options.port)
    except (BadScenario, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write(f"{server.base_url('SCENARIO', 'RUN')}\n")
    sys.stdout.write(f"scenarios: {', '.join([*BUILTIN, *more])}\n")
    sys.stdout.flush()
    try:
        with server:
            server.wait()
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
