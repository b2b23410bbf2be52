"""The vocabulary of the generated bank: a few hundred words of our own, then invented ones, ever rarer.

The word of a rank is the same in every run. Invented words come in families of one stem with its endings, so that
stems and beginnings meet as they do in a language; Chinese ones are made of the common characters.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate

_ENGLISH = """
the of and to a in is for on that with it as was at by be this from or are an not have has had but they you we i he
she his her their our your will would can could should must may if when then than so no up out about into over after
before again more most other some such only own same very just now here there what which who how all any each week day
month year today tomorrow yesterday morning evening friday monday meeting call note plan task list review work home
family friend mother brother sister daughter son doctor health sleep walk run swim garden kitchen dinner lunch
breakfast coffee tea bread soup rice fruit market shop price money bank bill invoice rent house flat door key car
train bus flight ticket hotel trip travel holiday beach mountain river lake city street map museum concert music song
guitar piano book story letter photo picture film game team match score club school class teacher student exam
language lesson question answer reason idea problem change choice decision agreement promise rule project build
release branch commit merge test server host cache index query table column row schema field value type string number
list error warning log trace timeout retry queue worker thread process memory disk file folder path name version
config setting default option flag token secret password account owner user agent session message request response
client service gateway deploy window backup restore migration script pipeline model prompt context window budget cost
limit report draft summary chapter page line word paper pen colour blue green red white black small large long short
early late fast slow quiet loud warm cold new old good bad right wrong first last next open closed ready busy free
happy tired careful simple hard clear start stop keep move send read write find show ask tell give take bring make use
need want like prefer avoid remember forget learn teach help check fix break wait stay leave arrive return visit
invite cook eat drink buy sell pay save spend count measure compare decide agree refuse explain describe translate
rename remove replace update install launch pause resume
"""
_CHINESE = """
的 了 我 我们 你 他 她 是 在 和 有 不 也 就 都 要 会 可以 因为 所以 但是 如果 已经 还是 一个 这个 那个 什么 时候
今天 明天 昨天 上周 下周 早上 晚上 工作 项目 会议 计划 任务 部署 测试 备份 代码 分支 提交 评审 数据 表格 文件 目录
配置 服务 主机 缓存 索引 查询 错误 日志 超时 用户 账号 密码 版本 发布 窗口 供应商 发票 合同 价格 预算 报告 家里 妈妈
爸爸 弟弟 妹妹 朋友 医生 健康 睡眠 跑步 游泳 花园 厨房 晚饭 早饭 咖啡 茶 面包 米饭 水果 市场 房子 车票 航班 酒店
旅行 海边 山上 城市 地图 音乐 吉他 钢琴 书 故事 照片 电影 学校 老师 学生 考试 语言 问题 回答 原因 办法 决定 习惯
喜欢 讨厌 记得 忘记 需要 希望 觉得 知道 开始 结束 提醒 修改 删除 更新 安排 准备 选择 检查 解释
"""
COMMON, COMMON_ZH = tuple(_ENGLISH.split()), tuple(_CHINESE.split())
ENDINGS = ("", "s", "ed", "ing", "er", "es", "ly", "y", "ness")
_PARTS = """
s t c p b m d f l r h g w n k v st tr ch sh pr br gr cl sp th pl fr qu bl dr cr fl gl sc sw j z
e a i o u ea ou ai io ee oo y ia au
"""
_ONSETS, _VOWELS = (tuple(line.split()) for line in _PARTS.split("\n")[1:3])
_CODAS = (*[""] * 14, "n", "r", "t", "l", "s", "n", "r", "d", "m", "nt", "st", "c", "p", "ck", "nd", "rt", "g", "x")
_SPREAD = 0x9E3779B97F4A7C15
_WIDE = (1 << 64) - 1
_CELLS = [(row, cell) for row in range(0xB0, 0xD8) for cell in range(0xA1, 0xFF)]
_HANZI = tuple(bytes(cell).decode("gb2312") for cell in _CELLS[:-5])
"""The 3,755 common characters: rows 16 to 55 of GB 2312, whose last five cells are empty."""


@cache
def word(rank: int) -> str:
    """The English word of a rank, 0 the most frequent."""
    if rank < len(COMMON):
        return COMMON[rank]
    stem, ending = divmod(rank - len(COMMON), 3)
    mixed = _mixed(stem)
    syllables = 1 + (stem > 100) + mixed % 6 // 5
    made = []
    for _ in range(syllables):
        mixed, onset = divmod(mixed // 7, len(_ONSETS))
        mixed, vowel = divmod(mixed, len(_VOWELS))
        mixed, coda = divmod(mixed, len(_CODAS))
        made.append(_ONSETS[onset] + _skewed(_VOWELS, vowel) + _CODAS[coda])
    return "".join(made) + ENDINGS[0 if ending == 0 else 1 + (mixed + 3 * ending) % (len(ENDINGS) - 1)]


@cache
def chinese(rank: int) -> str:
    """The Chinese word of a rank: mostly two characters, the frequent ones out of fewer characters."""
    if rank < len(COMMON_ZH):
        return COMMON_ZH[rank]
    mixed = _mixed(rank)
    length = (2, 2, 2, 2, 1, 2, 3, 2, 4, 3)[mixed % 10]
    known = min(2_500, 120 + rank // 12)
    made = []
    for _ in range(length):
        mixed, at = divmod(mixed // 11, known)
        made.append(_HANZI[at * 37 % len(_HANZI)])
    return "".join(made)


def zipf(count: int, power: float) -> list[float]:
    """Cumulative weights of ranks 0 to `count`, for `random.choices`."""
    return list(accumulate((rank + 2.7) ** -power for rank in range(count)))


def _mixed(number: int) -> int:
    """The number's bits, spread (splitmix64's finaliser)."""
    mixed = (number + 1) * _SPREAD & _WIDE
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _WIDE
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _WIDE
    return mixed ^ mixed >> 31


def _skewed(parts: tuple[str, ...], at: int) -> str:
    """The first parts more often than the last, as letters are in a language."""
    return parts[at * at // len(parts)]
