"""Python text as tokens and comments, without a parser: it works on what does not parse too."""

import re

from topkick.inspection.languages.tokens import Comment, Token

PIECE = re.compile(
    rb"(?P<comment>\#[^\n]*)"
    rb'|(?P<string>(?i:[rbfut]{0,2})(?:"""(?:[^\\"]|\\.|"(?!""))*"""'
    rb"|'''(?:[^\\']|\\.|'(?!''))*'''"
    rb'|"(?:[^"\\\n]|\\.)*"|' + rb"'(?:[^'\\\n]|\\.)*'))"
    rb"|(?P<word>[\w\x80-\xff]+(?:\.[\w\x80-\xff]+)*)"
    rb"|(?P<newline>\n)"
    rb"|(?P<sign>==|!=|<=|>=|:=|->|\*\*|//|<<|>>|[^\s\w])",
    re.DOTALL,
)


def scanned(data: bytes) -> tuple[list[Token], list[Comment]]:
    tokens: list[Token] = []
    comments: list[Comment] = []
    line, begin, blank = 1, 0, True
    for found in PIECE.finditer(data):
        kind, text = found.lastgroup, found[0].decode("utf-8", "replace")
        if kind == "newline":
            line, begin, blank = line + 1, found.end(), True
            continue
        if kind == "comment":
            comments.append(Comment(line, text, found.start() - begin, blank))
            continue
        tokens.append(Token(text, line, found.start(), kind == "string"))
        line, blank = line + text.count("\n"), False
    return tokens, comments
