"""The words by which an open question is recognised, and those that deny one."""

import re

OPEN = re.compile(
    r"\b(?:TBD|TBC|to be (?:decided|determined|confirmed|defined)|(?:decide|determine) later"
    r"|(?:is|are|still) (?:not (?:yet )?decided|undecided))\b|\?\?\?",
    re.IGNORECASE,
)
TODO = re.compile(r"^\W*(?:\[ \]\s*)?TODO(?:\*\*)?(?::|\s*\(|\s*[—–-]\s)")
DECIDE = re.compile(
    r"^\W*(?:\[[ xX]\]\s*)?(?:\d[\d.]*[.):]?\s*)?\W*(?:decide|clarify|choose between|agree on)\b",
    re.IGNORECASE,
)
ASKS_PEOPLE = re.compile(
    r"\b(?:with|from|by|ask) (?:the )?(?:stakeholders?|product|clients?|customers?|users?|owners?"
    r"|team|management|legal|design(?:ers?)?)\b",
    re.IGNORECASE,
)
EITHER = re.compile(
    r"\b(?:use|choose|pick|adopt|select)\s+either\s.{1,80}?\sor\s|\beither .{1,60} or .{1,60}\?",
    re.IGNORECASE,
)
VAGUE = re.compile(
    r"\b(?:an?|some|the) (?:appropriate|suitable|proper|adequate|standard|reasonable)"
    r" (?:\w+ )?(?:librar(?:y|ies)|frameworks?|approach|methods?|tools?|database|format|algorithm"
    r"|solution|technology|mechanism|provider|service)\b",
    re.IGNORECASE,
)
EXTERNAL = re.compile(
    r"\b(?:the|an?|their) (?:external|third[- ]party|vendor(?:'s)?|partner(?:'s)?|upstream)"
    r" (?:APIs?|services?|systems?|providers?|endpoints?|backends?)\b",
    re.IGNORECASE,
)
INTERFACE = re.compile(
    r"https?://|\b(?:openapi|swagger|protobuf|wsdl|graphql schema)\b", re.IGNORECASE
)
SETTLED = re.compile(
    r"~~|✅|☑|✔|\[[xX]\]|\*\*(?:yes|no)\b|\b(?:resolved|answered|decided|decision|closed|settled|answer|confirmed"
    r"|chosen|selected|done)\b",
    re.IGNORECASE,
)
# "No blocking open questions", "zero TBDs", "any TBD is a failure", "TBD-free"
NONE = re.compile(
    r"\b(?:no|zero|without|any|all|none|never|0|remaining|every|resolve[ds]?|replace[ds]?|remove[ds]?"
    r"|eliminate[ds]?|fill(?:ed)? in|grep|contains?|instead of)\b[^.;:]{0,40}?\b(?:open|TBDs?|TBCs?"
    r"|questions?|TODOs?|placeholders?)\b|\b(?:TBD|TODO)[- ]free\b|\bnot? (?:a )?TBD\b",
    re.IGNORECASE,
)
ADMIN = re.compile(
    r"\b(?:owner|assignee|assigned|date|due|deadline|start|end|finish|duration|estimate|estimated"
    r"|effort|hours|status|actual|commit|pr|author|reviewer|approver|cost|budget|version|progress"
    r"|result|notes?)\b",
    re.IGNORECASE,
)
ADMIN_LINE = re.compile(
    r"^\W*(?:\*\*)?(?:owner|assignee|date|due|deadline|start(?:ed)?|end|duration|estimate|effort"
    r"|status|commit|pr|author|reviewer|approver|cost|budget|completed?|updated)\b[^:]{0,20}:",
    re.IGNORECASE,
)
OPEN_TITLE = re.compile(
    r"\b(?:open|unresolved|outstanding) (?:questions?|decisions?|issues?|points?)\b"
)
BLOCKING_TITLE = re.compile(r"\bblocking (?:open )?(?:questions?|decisions?|issues?)\b")
SAYS_BLOCKING = re.compile(
    r"\b(?:blocks|blocking|blocker|must be (?:answered|decided))\b", re.IGNORECASE
)
NOT_BLOCKING = re.compile(r"\b(?:non|not|no|nothing)[- ](?:\w+ )?block", re.IGNORECASE)
ABOUT_OTHERS = re.compile(
    r"\b(?:API|vendor|third[- ]party|credentials?|access|licen[cs]e|external|provider)\b",
    re.IGNORECASE,
)
ABOUT_TECHNIQUE = re.compile(
    r"\b(?:library|framework|database|algorithm|format|protocol|architecture|schema|version|storage"
    r"|language|option|approach|design|cache|queue|backend|frontend|engine|port|endpoint)\b",
    re.IGNORECASE,
)
OPTION = re.compile(r"(?:^|\s)\W{0,6}(?:option|alternative|variant) (?:[A-Z]|\d)\b", re.IGNORECASE)
CHOICE_MADE = re.compile(
    r"\b(?:decision|decided|chosen|selected|recommended|recommendation|preferred"
    r"|we (?:use|chose|go)|go with|choose option|default)\b",
    re.IGNORECASE,
)
