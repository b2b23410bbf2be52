"""Banks to measure with: invented memories of about 600 bytes, English and Chinese, the same ones in every run."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from store.seed import seed
from store.vault.disk import Disk, Name

FIRST_DAY = date(2021, 1, 1)
NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
RESTED = datetime(2026, 1, 1, tzinfo=UTC)
"""When the files were last written: long ago, so that equal signatures are trusted."""
NEWEST = "Lantern festival"
"""Subject of the newest memory: it stands in the first row, so a terminal that shows it shows rows."""
OWNERS = ("aria", "bo", "chen", "dana")
KINDS = (("FACT", 900), ("PREF", 80), ("COMMIT", 15), ("BOUND", 5))

SUBJECTS = (
    *("deploy window", "Kenji", "build cache", "staging host", "code style", "invoice format", "retro"),
    *("Lisbon office", "test data", "on-call rota", "部署窗口", "值班表", "代码风格", "发票格式", "测试数据"),
    *("里斯本办公室", "构建缓存", "周会", "供应商", "备份策略"),
)
SENTENCES = (
    "The gateway is frozen on Fridays and opens again on Monday at nine.",
    "Kenji owns the billing tables and wants to be asked.",
    "Prefer small commits with one reason each.",
    "Never send customer names to the tracker.",
    "The staging host sleeps at night and needs a minute to wake.",
    "Invoices carry the order number in the first line.",
    "Run the migration twice on a copy before touching the real one.",
    "The retro starts ten minutes late on purpose.",
    "周五网关冻结,周一上午九点重新开放。",
    "账单表由健二负责,改动前先问他。",
    "提交要小,每次只说明一个理由。",
    "客户姓名不能写进任务系统。",
    "测试主机夜间休眠,唤醒需要一分钟。",
    "发票第一行写订单号。",
    "迁移先在副本上跑两遍。",
)


class Unsynced(Disk):
    """Writes without syncing, and files that look rested: only for banks that are made to be measured."""

    def write_new(self, path: Name, data: bytes, mode: int = 0o644) -> None:
        """Make the file."""
        Path(path).write_bytes(data)
        os.utime(path, (RESTED.timestamp(), RESTED.timestamp()))

    def sync_dir(self, path: Name) -> None:
        """Names need not survive a crash."""


def memories(count: int) -> Iterator[dict[str, Any]]:
    """Fields of `count` memories; the last one is the newest."""
    chance = random.Random(count)
    kinds = [kind for kind, weight in KINDS for _ in range(weight)]
    for at in range(count - 1):
        kind = chance.choice(kinds)
        day = (FIRST_DAY + timedelta(days=at * 2000 // count)).isoformat()
        owner = {} if kind == "FACT" else {"owner": chance.choice(OWNERS)}
        yield _memory(chance, kind, f"{chance.choice(SUBJECTS)} {at}", day) | owner
    yield _memory(chance, "FACT", NEWEST, NOW.date().isoformat())


def _memory(chance: random.Random, kind: str, subject: str, day: str) -> dict[str, Any]:
    statement = " ".join(chance.sample(SENTENCES, 2))
    body = [statement]
    while sum(len(text.encode()) for text in body) < 330:
        body.append(chance.choice(SENTENCES))
    tags = tuple(chance.sample(("work", "infra", "people", "工作", "习惯"), 2))
    return {
        "type": kind,
        "subject": subject,
        "statement": statement,
        "body": "\n".join(body),
        "tags": tags,
        "confidence": round(chance.uniform(0.4, 1.0), 2),
        "access_count": chance.randrange(40),
        "created": day,
        "updated": day,
        "source": chance.choice(("conversation", "manual")),
    }


def make_bank(folder: Path, count: int) -> Path:
    """A bank of `count` memories in `folder`, which must not be there."""
    (folder / "facts").mkdir(parents=True)
    (folder / "private").mkdir()
    seed(folder, memories(count), NOW, Unsynced())
    return folder
