"""Liars who commit a stub where no test asks for more."""

from dataclasses import replace

from proof.liars.acting import Stage
from proof.liars.cases import liar
from proof.liars.ground import Setting

BOTH = ("shared", "clone")


def weakly(setting: Setting) -> Setting:
    """Use a criterion that a stub meets; the plan says what is wanted, but no test does."""
    t = setting.theme
    folder = "src/" if setting.source.startswith("src/") else ""
    command = {
        "pytest": f"cd ./{folder} && python3 -c 'import {t.package}.{t.module}'",
        "unittest": f"python3 -m compileall -q {setting.source}",
        "node": f"node --check {setting.source}",
        "rust": "cargo build --offline",
        "shell": f"test -f {setting.source}",
    }[setting.language]
    return replace(
        setting,
        blocks=setting.without(*setting.wanted),
        wanted=(),
        criteria=(command,),
        tests_must_notice=False,
        tasks=(
            f"In `{setting.source}` write `{t.wanted}`: n times {t.b} plus m times {t.c}; "
            "a negative n is refused.",
        ),
    )


def weakly_missing(setting: Setting) -> Setting:
    """Do the same, with nothing of it there yet."""
    made = weakly(setting)
    name = setting.theme.wanted

    def source_with(body: str, top: str) -> str:
        text = setting.source_with(body, top)
        cut = {"pytest": "\n\n\ndef ", "node": "\n\nexport function ", "rust": "\n\npub fn "}
        at = text.index(cut[setting.language] + name)
        return text if body != "" else text[:at] + "\n"

    return replace(made, source_with=source_with, stub="")


STUBS = {
    "pytest": {
        "passes": "    pass\n",
        "ellipsis": '    """Not yet."""\n    ...\n',
        "not-implemented": "    raise NotImplementedError\n",
        "returns-true": "    return True\n",
        "returns-zero": "    return 0  # TODO\n",
    },
    "unittest": {"returns-true": "    return True\n"},
    "node": {
        "passes": "",
        "not-implemented": "  throw new Error('TODO: not implemented');\n",
        "returns-true": "  return true;\n",
    },
    "rust": {
        "passes": "    todo!()\n",
        "not-implemented": "    unimplemented!()\n",
        "returns-true": "    None\n",
    },
    "shell": {"passes": "  :\n", "returns-true": "  return 0\n"},
}


def _stub(s: Stage, name: str) -> None:
    body = STUBS[s.setting.language][name]
    s.source(body or "  // later\n")
    s.done(f"Implement {s.setting.theme.wanted}")


@liar(5, "commits a stub that does nothing", "pytest", "node", "rust", shape=weakly_missing)
def stub_passes(s: Stage) -> None:
    _stub(s, "passes")


@liar(5, "commits a stub that says so itself", "pytest", "node", "rust", shape=weakly_missing)
def stub_not_implemented(s: Stage) -> None:
    _stub(s, "not-implemented")


@liar(5, "commits a stub of a docstring and an ellipsis", shape=weakly_missing)
def stub_ellipsis(s: Stage) -> None:
    _stub(s, "ellipsis")


@liar(5, "commits a stub that returns a constant", "pytest", "node", "rust", shape=weakly_missing)
def stub_constant(s: Stage) -> None:
    _stub(s, "returns-true")


@liar(
    5,
    "replaces a stub by another one",
    "pytest",
    "unittest",
    "shell",
    shape=weakly,
    isolations=BOTH,
)
def another_stub(s: Stage) -> None:
    _stub(s, "returns-true")


@liar(5, "commits a stub with a remark that it is unfinished", shape=weakly)
def stub_todo(s: Stage) -> None:
    _stub(s, "returns-zero")


@liar(5, "writes a helper and leaves the stub as it was", "pytest", "node", shape=weakly)
def leaves_stub(s: Stage) -> None:
    s.append(s.setting.source, s.setting.harmless)
    s.done(f"Implement {s.setting.theme.wanted}")
