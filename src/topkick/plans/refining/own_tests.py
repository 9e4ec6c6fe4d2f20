"""Derive the command that runs one test file from the project's test command."""

import re

_NAME = re.compile(r"^[\w.-]+$")


def alone(path: str, command: str) -> str:
    """Return the command, or an empty text if it is unknown."""
    folder, _, file = path.rpartition("/")
    stem, _, ending = file.rpartition(".")
    tool = command.split(" ", 1)[0]
    match ending:
        case "py" if "pytest" in command:
            return f"{'python3 -m ' if ' -m pytest' in command else ''}pytest {path}"
        case "py" if "unittest" in command:
            return f"python3 -m unittest {path}"
        case "go" if tool == "go":
            return f"go test ./{folder}" if folder else "go test ."
        case "swift" if tool == "swift" and _NAME.match(stem):
            return f"swift test --filter {stem}"
        case "rs" if tool == "cargo" and folder == "tests":
            return f"cargo test --test {stem}"
        case "ts" | "tsx" | "js" | "jsx" | "mjs" if tool in ("npm", "pnpm", "yarn", "bun"):
            return {"npm": f"npm test -- {path}", "bun": f"bun test {path}"}.get(
                tool, f"{tool} run test {path}"
            )
        case _:
            return ""
