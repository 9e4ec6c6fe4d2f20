"""The passages of a requirements document: which role a heading or label gives to a part, and how
far an item extends.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto

from topkick.plan_format.criteria.criteria import has_box, without_box
from topkick.plan_format.structure import ListItem, Paragraph, Section
from topkick.plan_format.units.headings import Label, label_of, work_heading
from topkick.planning.breakdown.imperatives import clean, unmarked
from topkick.planning.breakdown.language import is_order
from topkick.planning.breakdown.model import HeadingPlace, LineRange


class HeadingRole(Enum):
    """The role; NEUTRAL lets the part above decide."""

    NEUTRAL = auto()
    WORK = auto()
    ACCEPTANCE = auto()
    CONTEXT = auto()
    ASIDE = auto()  # context, unless it is part of the work
    QUESTIONS = auto()
    DONE = auto()
    OUT = auto()


LONGEST = 200
_LEAD = re.compile(
    r"^(?:[\W_]|\d{1,4}(?:\.\d{1,4}){0,5}[a-z]?[.):]?\s|[A-Z]{1,3}\d{1,3}(?:\.\d{1,4}){0,5}[.):]?\s"
    r"|[A-Z]{2,8}(?:-[A-Z]{2,8}){0,3}-?\d{1,4}(?:\.\d{1,3})?\s*[:—–-]\s"
    r"|(?i:requirement|feature|epic|story|user story|use case)\s+"
    r"[A-Z]{0,3}-?\d{1,4}(?:\.\d{1,3})?\s*[:—–-]\s)+"
)
_TRAIL = re.compile(r"[\s:：.*_]+$")
_OUT = re.compile(
    r"out[- ]of[- ](?:the )?scope|not in (?:the )?scope|non[- ]?(?:goals?|objectives?)\b"
    r"|non[- ]requirements?|\bnot (?:included|covered|planned|supported|part of|to do|doing)\b"
    r"|\bfuture\b(?! proof)|\bdefer(?:red|s)?\b|\bwon['’]?t\b|\bwill not\b|\bnever do\b"
    r"|\banti-?patterns?\b|\bwhat not\b|\b(?:is|are|do|does) not\b|\bexclu(?:ded|sions?)\b"
    r"|\blater (?:phases?|versions?|releases?)\b|\bparking lot\b|\bpost-?mvp\b|\bphase \d\+"
    r"|\bicebox\b|\bv\d(?:\.\d)? (?:ideas|and beyond)\b|\bbeyond (?:v\d|scope|mvp)"
    r"|\bfora d[eo] (?:escopo|âmbito)|\bn[ãa]o[- ](?:objetivos|inclu)|\bnicht[- ]?ziele?\b"
    r"|\bnicht (?:im|teil|enthalten)|\baußerhalb|\bfuera de(?:l)? alcance|\bno objetivos"
    r"|\bno incluid|\bhors (?:du )?(?:périmètre|scope|sujet)|\bnon[- ]objectifs|\bfuori ambito"
    r"|不做|不在范围|范围外|非目标|不包括|不包含|不支持|不是"
    r"|错误定位|反方向|未来|暂缓|範囲外|対象外|やらない|非目標|범위 외"
    r"|제외|вне рамок|не входит|خارج از|خارج النطاق|خارج نطاق",
    re.IGNORECASE,
)
_CONTEXT = re.compile(
    r"\b(?:background|motivations?|overview|introduction|executive summary|summary|abstract"
    r"|vision|north star|mission|goals?|objectives?|purpose|problem statement|rationale"
    r"|glossary|terms|terminology|definitions|abbreviations|acronyms|risks?|mitigations?"
    r"|references?|cross-references|change ?log|history|revisions?|status|current state"
    r"|what already exists|what exists|as[- ]is|audit|findings|pain points|technical debt"
    r"|working well|timeline|estimat\w+|schedule|complexity|appendi(?:x|ces)|personas?"
    r"|target (?:users?|audience)|audience|stakeholders?|user base|kpis?"
    r"|assumptions?|principles|philosophy|metaphor|alternatives|decisions?|resources"
    r"|related (?:documents?|work|links)|tech(?:nology)? stack|constraints"
    r"|prerequisites|preconditions?|(?:system|platform|hardware|software) requirements"
    r"|minimum requirements|shell requirements"
    r"|recommended setup|quick setup|package managers|operating systems|sample"
    r"|how to read|document(?:ation)? (?:information|conventions|control|we should)|table of"
    r" contents|contents|toc|benefits|breaking changes|code style|conventions|boundaries"
    r"|always do|ask first|sequencing|implementation order|versioning|nuances|ecosystem|comparison"
    r"|ownership|authors?|approvals?|license|faq|learnings|retrospective|source of truth"
    r"|source-of-truth|what this (?:iteration|document|replaces)|evolution journey|solution"
    r"|project structure|package structure|file structure|directory structure"
    r"|(?:affected |required |modified |key )?files(?: touched| to (?:touch|read|modify))?"
    r"|secrets|triggers?|benefits?|component hierarchy"
    r"|contexto?|objetivos?|visão geral|introdução|riscos|referências|glossário|métricas"
    r"|cronograma|notas|resumo|einleitung|hintergrund|ziele?|überblick|risiken|glossar"
    r"|zusammenfassung|introducción|resumen|riesgos|contexte|objectifs|risques|glossaire"
    r"|введение|цели|риски|глоссарий)\b"
    r"|背景|概述|目标|愿景|定位|定义|哲学|第一性|原则|准则|画像|用户角色|用户场景|目标用户|核心用户|次要用户|用户类型|用户与"
    r"|典型|价值|支柱|风险|附录|术语|参考|变更|文档信息|为什么|解决什么|原因|约束|规划|路线图|里程碑|架构|主线|任务（JTBD）|JTBD"
    r"|数据来源|成功标准|判断标准|衡量|目的|概要|用語|はじめに|مقدمه|اهداف|واژه‌نامه",
    re.IGNORECASE,
)
# these mean context only if they are the whole heading
_CONTEXT_ALONE = re.compile(
    r"^why\b.*|^(?:(?:the|key|important|current|existing|required|external|project|consumer|primary|secondary)"
    r"\s+)?(?:examples?|usage|platforms?|dependencies|notes?|analysis|users?|status|problem|why"
    r"|solution|summary|goal|terms|actors|roles|scenarios|use cases)(?:\s*(?:&|and|/)\s*\w+)?$",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(?:requirements?|functional|features?|deliverables?|(?:in[- ])?scope|tasks?|to-?dos?"
    r"|work items?|items|outstanding work|work|implementation|checklist|user stor(?:y|ies)|stories"
    r"|epics?|capabilities|must[- ]haves?|should[- ]haves?|could[- ]haves?|nice[- ]to[- ]haves?"
    r"|changes needed|changes|gaps|next steps|acceptance|to (?:add|build|implement|change)"
    r"|what (?:must|to) (?:be )?(?:test\w*|build)|steps|actions?|backlog|specification"
    r"|requisitos|funcionalidades|tarefas|escopo|entregas|entregáveis|requerimientos|alcance"
    r"|tareas|entregables|anforderungen|funktionen|aufgaben|umfang|lieferumfang|exigences"
    r"|fonctionnalités|tâches|livrables|requisiti|funzionalità|fase|требования|функции|задачи)\b"
    r"|需求|功能|必须|范围|任务|交付|能力|只做|模块|验收|要求|要件|機能|タスク|نیازمندی|الزامات|امکانات|المتطلبات|요구|기능",
    re.IGNORECASE,
)
_QUESTIONS = re.compile(
    r"\bopen (?:questions?|decisions?|issues?|points?)\b|\bquestions? to answer\b"
    r"|\bconcrete questions\b|\bunresolved\b|\bquestões\b|\boffene (?:fragen|punkte)\b"
    r"|\bpreguntas\b|待定|开放问题|未決",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"✅|☑|✔|\b(?:shipped|completed|already (?:done|exists?|implemented|shipped)|changes made"
    r"|files modified|verified shipped|done ✓)\b|已完成|完了済",
    re.IGNORECASE,
)
_ACCEPTED = re.compile(
    r"\bacceptance\b|\bdefinition of done\b|\bsuccess criteria\b|\brelease criteria\b"
    r"|\bverdict targets?\b|\bexit criteria\b|\bverification\b|验收",
    re.IGNORECASE,
)
_OUT_ITEM = re.compile(
    r"out[- ]of[- ](?:the )?scope|\bnot in scope\b|\bnon[- ]goals?\b|\bnot included\b"
    r"|\bwon['’]t (?:be|do|support|have|change)\b|\bwill not be (?:supported|implemented|included)"
    r"|\bfuture (?:work|versions?|releases?|enhancements?|iterations?|phases?|considerations?)\b"
    r"|\bdeferred (?:to|until|for)\b|\bdefer to\b|\bpost-?mvp\b|\bin v\d+\.\d+\+|\blater phases?\b"
    r"|\bnot for (?:v\d|this (?:release|version|phase))|\bfora do escopo\b"
    r"|\bfuera de(?:l)? alcance\b|\bexplicitly not\b|\bnot (?:in|part of) this (?:work item|release"
    r"|iteration|mission|version)\b"
    r"|\bhors périmètre\b|\bnicht im umfang\b|永远不做|当前阶段不做"
    r"|暂不|不在范围|範囲外|対象外|خارج از محدوده",
    re.IGNORECASE,
)


_FILLING = re.compile(
    r"\b(?:non|the|and|of|by|area|list|plan|public|api|detailed|details|phases?|high|level|open"
    r"|ordered|in|core|key|main|project|product|strategy|needed|technical|priorit(?:y|ies)|medium|low)\b|[\W\d_]",
    re.IGNORECASE,
)


def plain_title(title: str) -> str:
    """Return a title without number, marks and emphasis."""
    text = title.replace("*", "").replace("`", "").strip()[:LONGEST]
    return _TRAIL.sub("", _LEAD.sub("", text) or text)


def shown_title(title: str) -> str:
    """Return a title without its number, but with its code."""
    text = _TRAIL.sub("", title.replace("*", "").strip()[:LONGEST])
    bare = text.replace("`", "")
    first = plain_title(bare)
    rest = len(bare) - len(bare.lstrip()) + bare.find(first)
    kept, seen = 0, 0
    while kept < len(text) and seen < rest:
        seen += text[kept] != "`"
        kept += 1
    kept -= text[kept - 1 : kept] == "`" and text[:kept].count("`") % 2 == 1
    return text[kept:] or text


def role_of(title: str) -> HeadingRole:
    """Return the role of a title; roles that keep work out of a plan are tested first."""
    text = plain_title(title)
    if not text:
        return HeadingRole.NEUTRAL
    if _DONE.search(title[:LONGEST]):
        return HeadingRole.DONE
    if _QUESTIONS.search(text):
        return HeadingRole.QUESTIONS
    if _OUT.search(text):
        return HeadingRole.OUT
    if _CONTEXT_ALONE.match(text):
        return HeadingRole.ASIDE
    if "metrics" in text.lower():
        return HeadingRole.CONTEXT
    if label_of(text) is Label.EXIT or _ACCEPTED.search(text):
        return HeadingRole.ACCEPTANCE
    return _kind_of_section(text, title)


def _kind_of_section(text: str, title: str) -> HeadingRole:
    """Decide by the last telling word, as in `Requirements Overview`."""
    context = [found.end() for found in _CONTEXT.finditer(text)]
    work = [found.end() for found in _WORK.finditer(text)]
    if context and (not work or context[-1] >= work[-1] or "requirements" in text.lower()[:-12]):
        long = len(text.split()) > 6 and not work  # a sentence that happens to contain such a word
        return HeadingRole.NEUTRAL if long else HeadingRole.CONTEXT
    if work or work_heading(title) is not None:
        return HeadingRole.WORK
    return HeadingRole.NEUTRAL


def is_generic(title: str) -> bool:
    """Return whether the title names no part of the product: `Functional Requirements`, `Phase 2:
    Polish`.
    """
    text = plain_title(title)
    if re.fullmatch(
        r"what (?:it|the [\w-]+|we) (?:does|do|is|needs?|builds?)", text, re.IGNORECASE
    ):
        return True
    if work_heading(title.replace("`", "")) is not None or role_of(title) is HeadingRole.ACCEPTANCE:
        return True
    rest = _WORK.sub(" ", text)
    return not _FILLING.sub("", rest)


def is_out(text: str) -> bool:
    """Return whether an item says that it should not be done now."""
    return _OUT_ITEM.search(text) is not None


MOST_JOINED = 260
CODED = re.compile(
    r"^\W*(?:(?:REQ|FR|NFR|US|WI|UC|BR|R|F|T|AC)[-.]?(?:[A-Z]{2,8}-)?\d{1,4}(?:\.\d{1,3}){0,3}"
    r"|(?:requirement|feature|task|story|user story|epic|item)\s+"
    r"[A-Z]{0,3}-?\d{1,4}(?:\.\d{1,3}){0,3})"
    r"(?:\s*(?:[:—–-]|\.(?!\d))|(?<=\.\d)(?=\s)|(?<=\.\d\d)(?=\s))",
    re.IGNORECASE,
)
_LABEL_LINE = re.compile(
    r"^(?:[-*]\s)?(?:\*\*|__)(?P<label>[^*]{1,100}?)[:：]?(?:\*\*|__)(?:\s*\([^()]{0,80}\))?"
    r"\s*[:：]?\s*(?P<rest>.*)$"
)
SHUT = frozenset({HeadingRole.OUT, HeadingRole.DONE})


def titled(part: Section) -> str:
    """Return the heading without its number or code."""
    said = CODED.sub("", part.title).strip() or part.title
    said = re.sub(r"^\W*\d{1,3}(?:\.\d{1,3}){0,4}[.)]?\s+", "", said)
    above = next((h.text for h in reversed(part.parents) if h.level > 1), "")
    brief = len(said) < 24 and not is_order(said) and above and not is_generic(above)
    return f"{said} ({plain_title(above)})" if brief else said


def ruled(above: HeadingRole, own: HeadingRole) -> HeadingRole:
    """Return the role of a part from the role above it and its own."""
    if above in SHUT or above is HeadingRole.QUESTIONS:
        return above
    if own is HeadingRole.NEUTRAL:
        return above
    if own is HeadingRole.ASIDE:
        return above if above is HeadingRole.WORK else HeadingRole.CONTEXT
    if above is HeadingRole.ACCEPTANCE and own not in SHUT:
        return above
    return own


def trail(part: Section) -> tuple[HeadingPlace, ...]:
    above = [*part.parents, *([part.heading] if part.heading else [])]
    return tuple(HeadingPlace(one.text, one.level, one.line) for one in above)


def segments(block: Paragraph) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the segments of a paragraph: first line, label if any, its lines."""
    line, label, words = block.line, "", list[str]()
    for number, raw in enumerate(block.lines, start=block.line):
        found = _LABEL_LINE.match(raw.strip())
        if found and (found["rest"] == "" or raw.strip()[:120].count(":") or "：" in raw[:120]):
            if words or label:
                yield line, label, words
            line, label, words = number, found["label"], [found["rest"]] if found["rest"] else []
        else:
            words.append(raw.strip())
    if words or label:
        yield line, label, words


def extent(item: ListItem) -> LineRange:
    last = item.line
    below = list(item.items)
    while below:
        one = below.pop()
        last = max(last, one.line)
        below.extend(one.items)
    return LineRange(item.line, last)


def parted(item: ListItem) -> bool:
    """Return whether the nested items are the work and the item is only their title."""
    boxes = sum(has_box(child.text) for child in item.items)
    if boxes > 1:
        return True
    said = without_box(item.text).rstrip()
    if has_box(item.text) or is_order(clean(said)):
        return False
    joined = sum(len(child.text) for child in item.items)
    return bool(item.items) and said.endswith((":", "：")) and joined > MOST_JOINED


def with_children(item: ListItem, text: str) -> str:
    """Join nested items into the sentence, if there is room."""
    points = [unmarked(clean(child.text)).rstrip(" .;") for child in item.items]
    joined = "; ".join(point for point in points if point)
    if not joined or len(joined) > MOST_JOINED or len(text) > MOST_JOINED:
        return text
    return f"{text.rstrip(' .:：;')}: {joined}"
