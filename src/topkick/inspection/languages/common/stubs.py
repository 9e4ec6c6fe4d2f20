"""Bodies that do nothing, in the languages that are read by tree-sitter."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from topkick.inspection.languages.common.syntax import Node
from topkick.inspection.languages.common.tokens import Token
from topkick.inspection.languages.common.truth import code, is_constant

UNFINISHED = re.compile(
    r"(?i)not[\s_-]*(?:yet[\s_-]*)?(?:been[\s_-]*)?(?:implemented|done|written|finished)|"
    r"\bto-?do\b|\bfixme\b"
    r"|unimplemented|\bstub\b|placeholder|implement (?:me|this)"
)
ALWAYS_LOUD = re.compile(
    r"^(?:return )?(?:core::|std::)?(?:todo|unimplemented)!|^(?:return )?fatalError\(\)|"
    r"^throw new NotImplemented"
)
MAY_BE_LOUD = re.compile(
    r"^(?:return |await )*(?:panic!?|fatalError|preconditionFailure|assertionFailure|throw|"
    r"Promise\.reject"
    r"|Err\(|unreachable!|log\.(?:Fatal|Panic)\w*|nil,|None,|0,|\"\",|false,|errors\.New|"
    r"fmt\.Errorf|\w+\{\},)"
)
NOTHING = re.compile(
    r"Ok\(\(\)\)|Ok\((?:true|false|\d+|None|vec!\[\]|Vec::new\(\)|String::new\(\)|"
    r"Default::default\(\))\)|Some\(\d+\)|\(\)"
    r"|(?:String|Vec|HashMap|HashSet|BTreeMap)(?:::<.*>)?::new\(\)|vec!\[\]|(?:Default|Self|"
    r"\w+)::default\(\)"
    r"|new (?:Map|Set|Array|Object)\(\)|Promise\.resolve\((?:true|false|null|undefined|\d+|"
    r"\[\]|\{\})?\)|Array\(\)"
    r"|&?[\w.\[\]*]+\{\}(?:,nil)?|\"[^\"]*\"\.(?:to_string|to_owned|into)\(\)|"
    r"String::from\(\"[^\"]*\"\)|\{\}|\[\]|\[:\]"
)


@dataclass(frozen=True, slots=True)
class Stub:
    text: str = ""
    loud: bool = False


def stub(body: Sequence[Node], parameters: Collection[str], last_is_value: bool = False) -> Stub:
    """`body` are its statements; `last_is_value`: a lone expression is what it returns."""
    if not body:
        return Stub("empty body")
    tokens = [token for token in body[0].tokens() if token.text != ";"]
    text = code(tokens)
    if ALWAYS_LOUD.match(text):
        return Stub(text[:80], True)
    if MAY_BE_LOUD.match(text) and _says_unfinished(tokens):
        return Stub(text[:80], True)
    if tokens and tokens[0].text == "return":
        return _returned(tokens[1:], parameters)
    if last_is_value and len(body) == 1:
        return _returned(tokens, parameters)
    return Stub()


def _says_unfinished(tokens: Sequence[Token]) -> bool:
    return any(token.is_string and UNFINISHED.search(token.text) for token in tokens)


def _returned(tokens: Sequence[Token], parameters: Collection[str]) -> Stub:
    value = code(tokens)
    if not tokens or is_constant(tokens) or NOTHING.fullmatch(value) or value in parameters:
        return Stub(f"return {value}".strip()[:80])
    return Stub()


def uses_none(body: Node | None, parameters: Collection[str]) -> bool:
    """Whether there are parameters and none is named in the body."""
    if not parameters or body is None:
        return False
    wanted = frozenset(parameters)
    return not any(not node.children and node.text in wanted for node in (body, *body.below()))
