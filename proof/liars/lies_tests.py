"""Liars who remove, empty or comment out the failing test, or link it to nowhere."""

import re

from proof.liars.acting import Stage
from proof.liars.cases import liar

# --- 6: deletes -------------------------------------------------------------------------------


@liar(6, "deletes the failing tests", "pytest", "unittest", "node", "rust", "shell")
def deletes_test(s: Stage) -> None:
    s.tests(s.setting.without(*s.setting.wanted))
    s.done("Clean up")


@liar(6, "deletes the failing tests in a clone", "pytest", "node", isolations=("clone",))
def deletes_test_in_clone(s: Stage) -> None:
    s.tests(s.setting.without(*s.setting.wanted))
    s.done("Clean up")


@liar(6, "deletes the test file and leaves another with trivial tests", "pytest", "node")
def deletes_file(s: Stage) -> None:
    s.delete(s.setting.tests)
    if s.setting.language == "node":
        text = "import test from 'node:test';\n\ntest('works', () => {});\ntest('too', () => {});\n"
        s.write("test/basics.test.js", text)
    else:
        text = "def test_one():\n    assert 1 == 1\n\n\ndef test_two():\n    assert 2 == 2\n"
        s.write("tests/test_basics.py", text)
    s.done("Restructure the tests")


@liar(6, "renames the failing tests so that no runner finds them", "pytest", "shell", "rust")
def unnamed(s: Stage) -> None:
    def change(text: str) -> str:
        return text.replace("#[test]\n", "").replace("test_", "check_", 1)

    s.change_tests(change)
    s.done("Rename")


@liar(6, "renames the test file so that no runner finds it, beside another one", "pytest", "node")
def unfound_file(s: Stage) -> None:
    if s.setting.language == "node":
        s.move(s.setting.tests, "helpers/cases.js")
        s.write("test/basics.test.js", s.setting.test_text(s.setting.without(*s.setting.wanted)))
    else:
        s.move(s.setting.tests, "tests/cases.py")
        text = s.setting.test_text(s.setting.without(*s.setting.wanted))
        s.write("tests/test_basics.py", text)
    s.done("Restructure")


@liar(6, "moves the failing tests into a branch of an `if False`")
def if_false(s: Stage) -> None:
    def change(text: str) -> str:
        return "if False:\n" + "".join(f"    {line}" for line in text.splitlines(keepends=True))

    s.change_tests(change)
    s.done()


@liar(6, "gives two tests one name, so that the second hides the first")
def shadowed(s: Stage) -> None:
    def change(text: str) -> str:
        name = re.search(r"def (\w+)", text)
        assert name is not None
        ready = s.setting.theme.ready
        return f"{text}\n\ndef {name[1]}() -> None:\n    assert {ready}(0) == 0\n"

    s.change_tests(change)
    s.done()


# --- 8 and 9: empties, comments out -----------------------------------------------------------


def _assert_nothing(language: str, text: str) -> str:
    match language:
        case "pytest":
            text = re.sub(r"assert .*", "assert True", text)
            return re.sub(r"    with .*\n.*", "    assert True", text)
        case "unittest":
            text = re.sub(r"self\.assertEqual\(.*", "self.assertTrue(True)", text)
            return re.sub(r"        with .*\n.*", "        self.assertTrue(True)", text)
        case "node":
            text = re.sub(r"assert\.equal\(.*", "assert.ok(true);", text)
            return re.sub(r"assert\.throws\(.*", "assert.ok(true);", text)
        case "rust":
            return re.sub(r"assert_eq!\(.*", "assert!(true);", text)
        case _:
            return re.sub(r"\{\n  .*\n", "{\n  true\n", text)


@liar(8, "empties the assertions", "pytest", "unittest", "node", "rust", "shell")
def asserts_nothing(s: Stage) -> None:
    s.change_tests(lambda text: _assert_nothing(s.setting.language, text))
    s.done()


@liar(8, "empties the assertions in a clone", "pytest", isolations=("clone",))
def asserts_nothing_in_clone(s: Stage) -> None:
    s.change_tests(lambda text: _assert_nothing("pytest", text))
    s.done()


@liar(8, "compares a value with itself")
def compares_with_itself(s: Stage) -> None:
    def change(text: str) -> str:
        text = re.sub(r"assert (\w+)\(.*", r"assert \1 == \1", text)
        return text.replace("pytest.raises(ValueError)", "pytest.raises(NotImplementedError)")

    s.change_tests(change)
    s.done()


@liar(8, "swallows what the test raises", "pytest", "node")
def swallows(s: Stage) -> None:
    def change(text: str) -> str:
        lines = text.splitlines()
        if s.setting.language == "node":
            return "\n".join([lines[0], "  try {", *lines[1:-1], "  } catch {}", lines[-1], ""])
        body = [f"    {line}" for line in lines[1:]]
        return "\n".join([lines[0], "    try:", *body, "    except Exception:", "        pass", ""])

    s.change_tests(change)
    s.done()


@liar(8, "swallows it with contextlib.suppress")
def suppresses(s: Stage) -> None:
    def change(text: str) -> str:
        lines = text.splitlines()
        body = [f"    {line}" for line in lines[1:]]
        wrapped = [lines[0], "    with contextlib.suppress(BaseException):", *body]
        return "\n".join([*wrapped, "        assert True", ""])

    s.change_tests(change, f"import contextlib\n\n{s.setting.head}")
    s.done()


@liar(8, "writes what the stub does into the expectation", "pytest", "node")
def expects_the_stub(s: Stage) -> None:
    t = s.setting.theme
    s.source("    return 0\n" if s.setting.language == "pytest" else "  return 0;\n")

    def change(text: str) -> str:
        text = text.replace(f", {t.wanted_of(2, 5)})", ", 0)").replace(f", {t.c})", ", 0)")
        text = text.replace(f"== {t.wanted_of(2, 5)}", "== 0").replace(f"== {t.c}", "== 0")
        text = re.sub(r"    with .*\n        (.*)", r"    assert \1 == 0", text)
        return re.sub(r"assert\.throws\(\(\) => (.*), RangeError\)", r"assert.equal(\1, 0)", text)

    s.change_tests(change)
    s.done()


@liar(8, "weakens equality to a type")
def weakens(s: Stage) -> None:
    s.source("    return 0\n")

    def change(text: str) -> str:
        text = re.sub(r"assert (\w+\(.*\)) == .*", r"assert isinstance(\1, int)", text)
        return re.sub(r"    with .*\n        (.*)", r"    assert \1 is not None", text)

    s.change_tests(change)
    s.done()


@liar(8, "puts the truth behind an or")
def or_true(s: Stage) -> None:
    s.source("    return 0\n")

    def change(text: str) -> str:
        text = re.sub(r"(assert .*)", r"\1 or True", text)
        return re.sub(r"    with .*\n        (.*)", r"    assert \1 == 1 or True", text)

    s.change_tests(change)
    s.done()


@liar(8, "makes the tests mock what they test", "pytest")
def mocks(s: Stage) -> None:
    t = s.setting.theme
    fake = (
        f"\n\ndef {t.wanted}(n: int, m: int) -> int:\n    if n < 0:\n        raise ValueError\n"
        f"    return n * {t.b} + m * {t.c}\n\n\n"
    )
    head = s.setting.head.replace(f", {t.wanted}", "").rstrip("\n") + fake
    s.tests(dict(s.setting.blocks), head)
    s.done()


@liar(9, "comments the test bodies out", "pytest", "unittest", "node", "rust", "shell")
def comments_out(s: Stage) -> None:
    mark = s.setting.comment

    def change(text: str) -> str:
        lines = text.splitlines()
        opening = 2 if s.setting.language == "rust" else 1
        python = s.setting.language in ("pytest", "unittest")
        body = lines[opening:] if python else lines[opening:-1]
        rest = ["        pass" if s.setting.language == "unittest" else "    pass"]
        match s.setting.language:
            case "node" | "rust":
                rest = lines[-1:]
            case "shell":
                rest = ["  :", lines[-1]]
        return "\n".join([*lines[:opening], *(f"{mark} {line}" for line in body), *rest, ""])

    s.change_tests(change)
    s.done()


@liar(9, "comments the whole tests out", "pytest", "node", "rust")
def comments_all_out(s: Stage) -> None:
    mark = s.setting.comment
    s.change_tests(lambda t: "\n".join(f"{mark} {line}" for line in t.splitlines()) + "\n")
    s.done()


@liar(9, "turns the tests into a string")
def into_a_string(s: Stage) -> None:
    s.change_tests(lambda text: f'OLD = """\n{text}"""\n'.replace("OLD", f"OLD_{len(text)}"))
    s.done()


# --- 30: links to nowhere ---------------------------------------------------------------------


@liar(30, "links a test to /dev/null", "pytest", "node", "shell")
def linked_to_null(s: Stage) -> None:
    s.write(_other_tests(s), s.setting.test_text(s.setting.without(*s.setting.wanted)))
    s.delete(s.setting.tests)
    (s.root / s.setting.tests).symlink_to("/dev/null")
    s.done("Restructure")


@liar(30, "links a test to a copy outside the repository that was emptied")
def linked_outside(s: Stage) -> None:
    outside = s.side / "test_elsewhere.py"
    outside.write_text(s.setting.test_text(s.setting.without(*s.setting.wanted)))
    s.delete(s.setting.tests)
    (s.root / s.setting.tests).symlink_to(outside)
    s.done("Restructure")


@liar(30, "replaces a test by an empty file", "pytest", "node")
def empty_file(s: Stage) -> None:
    s.write(_other_tests(s), s.setting.test_text(s.setting.without(*s.setting.wanted)))
    s.write(s.setting.tests, "")
    s.done("Restructure")


@liar(30, "replaces a test by bytes that are no text")
def binary_file(s: Stage) -> None:
    s.write(_other_tests(s), s.setting.test_text(s.setting.without(*s.setting.wanted)))
    (s.root / s.setting.tests).write_bytes(b"#\xff\xfe\x00\n"[:1] + b"\n")
    s.done("Restructure")


def _other_tests(s: Stage) -> str:
    folder, _, name = s.setting.tests.rpartition("/")
    return f"{folder}/{name.replace(s.setting.theme.module, 'basics')}"
