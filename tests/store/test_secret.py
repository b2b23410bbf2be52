"""What counts as a secret, what does not, and that looking takes no longer on hostile text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.secret import MASK, find_secrets, mask, port_redact

TOKEN = "gh" + "p_" + "k" * 36
HEX = "a1" * 20


@pytest.mark.parametrize(
    ("text", "rule", "masked"),
    [
        (f"use {TOKEN} here", "GitHub token", "use [REDACTED] here"),
        ("github" + "_pat_" + "d" * 30, "GitHub token", MASK),
        ("AWS_SECRET" + "_ACCESS_KEY=" + "Ab1/" * 10, "named secret", "AWS_SECRET_ACCESS_KEY=[REDACTED]"),
        ("s" + "k-" + "a" * 20, "key prefix", MASK),
        ("-----BEGIN RSA " + "PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nok", "private key", f"{MASK}\nok"),
        ("pass" + "word: hunter2", "named secret", "password: [REDACTED]"),
        ('{"api' + 'Key": "abcd1234"}', "named secret", '{"apiKey": "[REDACTED]"}'),
        ("db" + "Password = 'correct horse battery'", "named secret", "dbPassword = '[REDACTED]'"),
        ("postgres://app:" + "hunter2@db/prod", "password in an address", "postgres://app:[REDACTED]@db/prod"),
        ("https://x.io/?sig=" + "ab12cd34ef", "secret in an address", "https://x.io/?sig=[REDACTED]"),
        ("Authorization: Basic " + "dXNlcjpwYXNz", "authorization", "Authorization: Basic [REDACTED]"),
        ("bearer " + "abc123def456", "authorization", "bearer [REDACTED]"),
        ("the pass" + "word is hunter2, ok", "named secret", "the password is [REDACTED], ok"),
        ("密码是 " + "hunter2。", "named secret", "密码是 [REDACTED]。"),
        ("pass" + "word: token: hunter2", "named secret", "password: token: [REDACTED]"),
        ("deploy-key-" + "2f9c81d7aa01", "keyword and digits", "deploy-[REDACTED]"),
        (f"see {HEX}", "long hex number", "see [REDACTED]"),
        ("CI uses gl" + "pat-" + "aB3dE6gH1jK2mN4pQ6rS now", "GitLab token", "CI uses [REDACTED] now"),
        ("use h" + "f_" + "abCD" * 9, "Hugging Face token", "use [REDACTED]"),
    ],
)
def test_a_secret_is_named_by_its_rule_and_masked(text: str, rule: str, masked: str) -> None:
    assert rule in find_secrets(text)
    assert mask(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "Basic configuration is enough",
        "bearer authentication is used",
        "the password is required",
        "token: string",
        "password: ${DB_PASSWORD}",
        "api_key = os.environ['API_KEY']",
        "password=********",
        "the key: value pair",
        "primary key: id1234",
        f"commit {HEX} broke it",
        f"rev: {HEX}",
        f"sha256:{HEX}{HEX}",
        f"https://github.com/a/b/commit/{HEX}",
        "550e8400-e29b-41d4-a716-446655440000",
        "monkey-island-2-remake-deluxe",
        "ssh://git@host:22/repo",
        "http://localhost:3000/@vite/client",
        "we rotate the signing key monthly",
        "我们的密码策略很严格",
        f"password: {MASK}",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert find_secrets(text) == ()
    assert mask(text) == text


@pytest.mark.parametrize("splitter", ["`", "<", ">", "\u200b", "\u2060", "\x00"])
def test_a_split_token_is_masked_as_a_whole(splitter: str) -> None:
    split = f"use {TOKEN[:15]}{splitter}{TOKEN[15:]} now"
    assert mask(split) == "use [REDACTED] now"


def test_text_without_secrets_keeps_every_byte() -> None:
    text = "cafe\u0301 \u200b <b> ~~~~"
    assert mask(text) is text


def test_a_mask_does_not_hide_what_follows_it() -> None:
    assert mask(f"password={MASK}hunter2") == f"password={MASK}"


def test_a_hash_in_an_address_query_is_still_a_secret() -> None:
    assert find_secrets(f"https://x.io/login?t={HEX}") == ("long hex number",)


def test_the_patterns_of_the_port_stand_apart() -> None:
    assert port_redact("key-value-store-config") == MASK
    assert port_redact("password: hunter2") == "password: hunter2"


HOSTILE = [
    "token=", "token=${", "a-key-", "a", "a" * 16 + ".", "://", "x://a:", "-----BEGIN PRIVATE KEY-----", "bearer ",
    "?a", "ab", HEX + " ", "password is ", "<", 'password="', "authorization: ", "密码是", "t\u200b", "token=token: ",
    "password=xxxx", "password: ********", "sk", "sk-", "eyJ", "AKIA", "?token&", " ", "\t", "0x", "secret'",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_line_of_256_kib_is_read_in_linear_time(piece: str) -> None:
    line = (piece * (262_144 // len(piece) + 1))[:262_144]
    started = time.process_time()
    find_secrets(line)
    mask(line)
    assert time.process_time() - started < 5


PIECES = st.sampled_from([
    "password", "token", "=", ":", " ", "is", "hunter2", TOKEN[:9], "k" * 20, MASK, "[", "]", "`", "<", "\u200b", "\n",
    "://", "@", "user", "?key=", "bearer", "a1b2c3d4e5f6a7b8", '"', "'", "-", "_", "密码是", ",", ".", "sk-", HEX, "~~",
])  # fmt: skip
TEXTS = st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=80)


@given(TEXTS)
def test_property_masking_twice_is_masking_once(text: str) -> None:
    assert mask(mask(text)) == mask(text)


@given(TEXTS)
def test_property_masked_text_bears_no_secret(text: str) -> None:
    assert find_secrets(mask(text)) == ()
    assert bool(find_secrets(text)) == (mask(text) != text)
