"""The language of requirements: the verbs with which people ask for work, and which natural
language a document is written in.
"""

import re
from dataclasses import dataclass

_ENGLISH = """
abstract accept access achieve acquire activate adapt add address adjust adopt advance aggregate
align allow analyse analyze animate annotate announce answer appear append apply archive arrange
ask assemble assert assign attach audit authenticate authorise authorize automate avoid back batch
behave belong bind block boot break bring buffer build bump bundle cache calculate call cancel
capture carry catch centralise centralize change check choose chunk claim classify clean clear
close collapse collect combine commit communicate compare compile complete compose compress
compute conduct configure confirm connect consider consolidate construct consume contain continue
control convert coordinate copy correct count cover create cut debounce debug declare decode
decouple deduplicate default define degrade delegate delete deliver demonstrate depend deploy
deprecate derive describe design detect determine develop differ disable discard discover dismiss
dispatch display distinguish distribute document download draw drop dump edit eliminate embed emit
enable encapsulate encode encrypt enforce enhance enqueue enrich ensure enter enumerate escape
establish evaluate examine exclude execute exit expand expire explain explore export expose extend
extract fail fall feed fetch fill filter finalise finalize find finish fit fix flag flatten flush
focus follow force format forward free freeze gate gather generate get give grant group guarantee
guard guide handle harden hash have help hide highlight hold hook host hydrate identify ignore
implement import improve include increase index infer inform ingest inherit initialise initialize
inject insert inspect install instrument integrate introduce invalidate invoke isolate issue
iterate join keep kill label launch lay leave let leverage limit link list listen load localise
localize lock log look loosen lower maintain make manage map mark match measure merge migrate
minimise minimize mirror mitigate mock model modify monitor mount move name navigate normalise
normalize notify obtain occur offer open optimise optimize orchestrate order organise organize
output overwrite own package paginate parse pass patch pause perform permit persist pick pin place
plan play point poll populate port post prefetch prepare present preserve prevent print prioritise
prioritize process produce profile prompt propagate protect prove provide provision prune publish
pull purge push put query queue quit raise randomise rank rate read rebuild receive recognise
recognize recommend reconcile record recover redact redesign redirect redownload reduce refactor
refine reflect refresh refuse register rehash reject release reload relocate rely remember remove
rename render reorder repair replace replay report reproduce request require rerun reserve reset
resize resolve respect respond restore restrict restructure resume retain retire retrieve retry
return reupload reuse review revise revoke rewrite roll rotate round route run safeguard sample
sanitise sanitize satisfy save scaffold scale scan schedule scope score scroll search secure seed
select send separate serialise serialize serve set share ship show shut sign simplify simulate
skip sort specify split stage standardise standardize start state stay stop store stream strip
structure style submit subscribe summarise summarize supply support suppress surface survive
suspend swap switch sync synchronise synchronize tag take target teach tell terminate test
throttle throw tie tighten time toggle trace track train transcribe transfer transform transition
translate transmit trigger trim truncate try tune turn type unify uninstall update upgrade upload
use validate vary verify version view visualise visualize wait walk warm warn watch wire withdraw
work wrap write yield zero
"""
VERBS = frozenset(_ENGLISH.split())
# as a first word these are nouns more often than orders
_NOUNS_TOO = frozenset(
    """
    abstract access address advance audit back batch block boot buffer bundle cache call
    change clear complete control correct count default even exit feed filter flag focus
    format free gate group guard guide hash hook host index issue label link list load lock
    log look map mark match measure model monitor mount name open order output own package
    patch pause plan play point poll port post present process profile purge query queue rank
    rate record release request round route sample scale schedule scope score scroll secure
    seed separate share stage state stream structure style surface target test tie time trace
    train transfer trigger type version view work
    """.split()  # noqa: SIM905 -- a list of words reads best as words
)
_ARTICLES = frozenset(
    """
    a an the all any each every both new its their this that these those it them only existing
    at to for from in on with into when if up down out off back over whether which how what no
    one two three more
    """.split()  # noqa: SIM905 -- a list of words reads best as words
)
_FINITE = frozenset(
    """
    is are was were has have does do can could will would must shall should may might cannot
    isn't aren't doesn't don't won't can't needs need exists exist becomes become gets remains
    remain lives live
    """.split()  # noqa: SIM905 -- a list of words reads best as words
)


def _third(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


_THIRDS = frozenset(_third(verb) for verb in VERBS) - {"types", "tests", "views", "models", "logs"}


def _word(token: str) -> str:
    return token.strip("`*_.,;:()[]\"'“”\u2018\u2019").lower()


def is_order(text: str) -> bool:
    """Return whether the text begins like an order: `Add a flag`, `Document the format`."""
    tokens = text.split(None, 3)
    if not tokens:
        return False
    first = _word(tokens[0])
    first = first.removeprefix("re-") if first not in VERBS else first
    if first not in VERBS or tokens[0][-1:] in ":.,;)":
        return False
    if tokens[0].startswith("`") or len(tokens) == 1:
        return False
    following = _word(tokens[1])
    if not (following[:1].isalnum() or tokens[1][:1] in '`"“('):
        return False
    if following in ("of", "for", "is", "are", "and", "or", "should", "must", "shall"):
        return following in ("and", "or", "for") and first in ("ask", "search", "look", "wait")
    if len(tokens) == 2 and tokens[1].istitle():
        return False  # `Download Flow` is a title
    if first not in _NOUNS_TOO:
        return True
    return following in _ARTICLES or tokens[1].startswith("`") or following.isdigit()


_ASIDE = re.compile(r"\([^()]{0,200}\)")


def is_statement(text: str) -> bool:
    """Return whether the text says what something does or is, by a verb among its first words."""
    tokens = _ASIDE.sub("", text[:400]).split(None, 16)[:16]
    words = [_word(token).removeprefix("re-") for token in tokens]
    for at, word in enumerate(words[1:], start=1):
        before = words[at - 1]
        if before in ("that", "which", "who") or word in ("that", "which", "who"):
            return False  # what follows describes a thing, not what it does
        if tokens[at].startswith("`"):
            continue
        if word in _FINITE:
            return True
        if (
            word in _THIRDS
            and at + 1 < len(words)
            and before not in _ARTICLES | {"of", "and", "or", "per", "by"}
        ):
            return True
        told = tokens[at - 1].startswith("`") or tokens[at - 1].endswith((")", "`"))
        plural = _is_plural(before) or (told and any(map(_is_plural, words[:at])))
        if plural and word in VERBS and word not in _NOUNS_TOO:
            return True
    return False


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is"))


_PARTICIPLE = re.compile(r"^(?:[a-z]+ed|built|written|set|sent|kept|shown|made|run|found|hidden)$")
_AFTER_PARTICIPLE = frozenset(
    """
    to with in for via by from on at as across when if and or correctly successfully using
    locally automatically only without before after per through into under over unless
    """.split()  # noqa: SIM905 -- a list of words reads best as words
)


def participle_at(text: str) -> int | None:
    """Return where a participle states the wanted result: `Manifest generated with checksums`."""
    tokens = text.split(" ", 14)[:14]
    for at in range(1, len(tokens)):
        if tokens[at - 1].endswith((",", ":", ";")):
            return None
        if not _PARTICIPLE.match(tokens[at].strip("*")):
            continue
        last = at + 1 == len(tokens) or tokens[at + 1].startswith("(")
        if last or _word(tokens[at + 1]) in _AFTER_PARTICIPLE:
            return at
    return None


def base_of(word: str) -> str:
    """Return `display` for `displays`; other words stay."""
    lower = word.lower()
    for verb in (lower[:-1], lower[:-2], f"{lower[:-3]}y"):
        if lower.endswith("s") and verb in VERBS and _third(verb) == lower:
            return verb
    return word


_SAMPLE = 40_000
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Tongue:
    """A language; `implement` introduces what is only named, `infinitive` are the endings of
    orders.
    """

    name: str
    implement: str
    infinitive: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Voice:
    """The style of a document: its language, and names that keep their capital letter."""

    tongue: Tongue
    names: frozenset[str] = frozenset()


ENGLISH = Tongue("en", "Provide ")
_CHINESE_VERBS = tuple(
    """
    支持 实现 提供 添加 增加 新增 创建 显示 展示 保存 允许 使用 返回 生成
    接入 完成 编写 更新 删除 移除 修复 优化 重构 引入 建立 确保 记录 输出
    统一 补充 集成 设计 开发 构建 配置 部署 测试 验证 检查 加载 导出 导入
    查看 计算 保留 改造 迁移 封装 抽象 預留 预留 實現 提示 处理 调用 采用
    启用 禁用 限制 避免 保证
    """.split()  # noqa: SIM905 -- a list of words reads best as words
)
CHINESE = Tongue(
    "zh",
    "实现：",
    starts=_CHINESE_VERBS,
)
JAPANESE = Tongue("ja", "実装する：", starts=("実装", "追加", "作成", "対応"))
KOREAN = Tongue("ko", "구현: ")
RUSSIAN = Tongue("ru", "Реализовать: ", ("ть", "ться", "ти"))
ARABIC = Tongue("ar", "تنفيذ: ")
PERSIAN = Tongue("fa", "پیاده‌سازی: ")
_LATIN = (
    (
        Tongue("de", "Umsetzen: ", ("en", "ern", "eln")),
        "und der die das ist nicht ein eine für mit von werden soll muss wird den dem als auf",
    ),
    (
        Tongue("pt", "Implementar: ", ("ar", "er", "ir")),
        "de que não uma para com em os as do da no na dos ser deve por mais são ção",
    ),
    (
        Tongue("es", "Implementar: ", ("ar", "er", "ir")),
        "de que el la los las una para con en del por debe ser se es y no al como",
    ),
    (
        Tongue("fr", "Réaliser : ", ("er", "ir", "re")),
        "le la les des une pour avec dans est et du doit être sur par que au aux ne pas",
    ),
    (
        Tongue("it", "Implementare: ", ("are", "ere", "ire")),
        "il la che di non una per con del della deve essere sono gli le al un nel",
    ),
    (ENGLISH, "the of and to a in is for with that be on as are this it not from by or must"),
)


def tongue_of(text: str) -> Tongue:
    """Detect the language by letters, and among Latin ones by small words; English in doubt."""
    sample = text[:_SAMPLE]
    letters = sum(char.isalpha() for char in sample) or 1
    kana = sum("\u3040" <= char <= "\u30ff" for char in sample)
    han = sum("\u4e00" <= char <= "\u9fff" for char in sample)
    if (han + kana) / letters > 0.2:
        return JAPANESE if kana > han / 5 else CHINESE
    for low, high, tongue in (
        ("\uac00", "\ud7a3", KOREAN),
        ("\u0400", "\u04ff", RUSSIAN),
        ("\u0600", "\u06ff", ARABIC),
    ):
        if sum(low <= char <= high for char in sample) / letters > 0.2:
            persian = tongue is ARABIC and any(char in sample for char in "پچژگ")
            return PERSIAN if persian else tongue
    return _latin([word.lower() for word in _WORD.findall(sample)])


def _latin(words: list[str]) -> Tongue:
    counts = [
        (sum(word in small for word in words), tongue)
        for tongue, said in _LATIN
        for small in [frozenset(said.split())]
    ]
    best = max(counts, key=lambda one: one[0])
    english = counts[-1][0]
    return best[1] if best[0] > 1.3 * english else ENGLISH


_NAME = re.compile(r"[a-z,;] ([A-Z][a-z]{2,30})\b(?! [A-Z][a-z])")


def voice_of(text: str) -> Voice:
    prose = (line for line in text.split("\n") if line[:1] not in ("#", "|"))
    names = frozenset(name for line in prose for name in _NAME.findall(line[:2000]))
    return Voice(tongue_of(text), names)
