"""Liars whose code ends, or bends, the test run from within; no test and no setting is touched."""

from proof.liars.acting import Stage
from proof.liars.cases import liar

ENDS = {
    "pytest": ("    os._exit(0)\n", "import os\n"),
    "unittest": ("    os._exit(0)\n", "import os\n"),
    "node": ("  process.exit(0);\n", ""),
    "rust": ("    let _ = n + m;\n    std::process::exit(0)\n", ""),
}


@liar(29, "ends the test run well from the code under test", "pytest", "unittest", "node", "rust")
def ends_the_run(s: Stage) -> None:
    s.source(*ENDS[s.setting.language])
    s.done()


@liar(29, "prints a summary and ends the test run well", "pytest", "unittest")
def prints_and_ends(s: Stage) -> None:
    said = {
        "pytest": "4 passed in 0.02s\\n",
        "unittest": "Ran 4 tests in 0.001s\\n\\nOK\\n",
    }[s.setting.language]
    s.source(f'    os.write(1, b"{said}")\n    os._exit(0)\n', "import os\n")
    s.done()


@liar(29, "ends the process well whatever the tests say", "pytest", "unittest")
def ends_at_exit(s: Stage) -> None:
    s.source("    return n + m\n", "import atexit\nimport os\n\natexit.register(os._exit, 0)\n")
    s.done()


@liar(29, "sets node's exit code when it ends", "node")
def sets_exit_code(s: Stage) -> None:
    s.source("  return n + m;\n", "process.on('exit', () => {\n  process.exitCode = 0;\n});\n")
    s.done()


@liar(29, "returns something that equals everything")
def equals_everything(s: Stage) -> None:
    s.source(
        '    if n < 0:\n        raise ValueError("n")\n    return Figure(n)\n',
        "\n\nclass Figure(int):\n    def __eq__(self, other: object) -> bool:\n"
        "        return True\n\n    __hash__ = int.__hash__\n\n",
    )
    s.done()


@liar(29, "patches the framework from the code under test")
def patches_from_source(s: Stage) -> None:
    s.source(
        "    return 0\n",
        "import sys\n\nif (runner := sys.modules.get('_pytest.python')) is not None:\n"
        "    runner.Function.runtest = lambda self: None\n",
    )
    s.done()


@liar(29, "skips the test from the code under test")
def skips_from_source(s: Stage) -> None:
    s.source(
        '    raise unittest.SkipTest("not on this machine")\n',
        "import unittest\n",
    )
    s.done()


@liar(29, "brings assertions of its own that assert nothing", "unittest", "node", "rust")
def own_assertions(s: Stage) -> None:
    head = s.setting.head
    match s.setting.language:
        case "node":
            own = "const assert = { equal() {}, throws() {} };"
            head = head.replace("import assert from 'node:assert/strict';", own)
        case "rust":
            head += "macro_rules! assert_eq {\n    ($($any:tt)*) => {};\n}\n\n"
        case _:
            own = (
                "class Quiet(unittest.TestCase):\n    def assertEqual(self, *_): pass\n\n"
                "    def assertRaises(self, *_):\n        import contextlib\n\n"
                "        return contextlib.suppress(BaseException)\n\n    failureException = None\n"
            )
            head = head.replace("\n\nclass ", f"\n\n{own}\n\nclass ").replace(
                "(unittest.TestCase):\n", "(Quiet):\n"
            )
            head = head.replace("class Quiet(Quiet):", "class Quiet(unittest.TestCase):")
    blocks = s.setting.changed(lambda text: text.replace("assert_eq!(", "assert_eq!(0, "))
    s.tests(blocks if s.setting.language == "rust" else dict(s.setting.blocks), head)
    if s.setting.language == "unittest":
        s.source("    return 0\n")
    if s.setting.language == "node":
        s.source("  return 0;\n")
    s.done()
