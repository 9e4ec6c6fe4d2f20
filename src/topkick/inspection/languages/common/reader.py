"""Which reader reads which file."""

from topkick.inspection.inventory import Inventory

JAVASCRIPT = frozenset(("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"))


def read(path: str, text: str) -> Inventory | None:
    """What is in a source file; None if its language is not one that is read by its syntax.

    A reader is loaded when it is first needed: each brings a parser.
    """
    name = path.rpartition("/")[2].lower()
    ending = name.rpartition(".")[2] if "." in name else ""
    match ending:
        case "py" | "pyi" | "pyw":
            from topkick.inspection.languages.python.reader import read_python

            return read_python(path, text)
        case "go":
            from topkick.inspection.languages.go import read_go

            return read_go(path, text)
        case "swift":
            from topkick.inspection.languages.swift import read_swift

            return read_swift(path, text)
        case "rs":
            from topkick.inspection.languages.rust import read_rust

            return read_rust(path, text)
        case _ if ending in JAVASCRIPT:
            from topkick.inspection.languages.javascript.reader import read_javascript

            return read_javascript(path, text)
        case _:
            return None
