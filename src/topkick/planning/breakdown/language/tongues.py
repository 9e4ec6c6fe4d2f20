"""Detect the language of a document, as far as the wording of tasks needs it."""

import re
from dataclasses import dataclass

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
