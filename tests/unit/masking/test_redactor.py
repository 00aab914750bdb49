"""What is masked on export, and what must stay."""

import json
import re
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_tui.masking import secrets as secret_patterns
from acp_tui.masking.redactor import Redactor
from acp_tui.masking.secrets import MASK, find_secrets, is_secret
from acp_tui.masking.split_text import find_split_parts
from acp_tui.protocol.file_events import FilesChanged
from acp_tui.protocol.frames import Direction, Frame
from acp_tui.protocol.process_events import (
    OutputOmitted,
    ProcessStarted,
    StderrLine,
    TerminalOutput,
)

SECRET = "hunter2hunter2"


def masked(message: Any) -> Any:
    frame = Frame(Direction.OUT, json.dumps(message).encode(), 1.0, 1)
    cleaned = Redactor().record(frame)
    assert isinstance(cleaned, Frame)
    assert SECRET not in cleaned.raw.decode()
    return json.loads(cleaned.raw)


@pytest.mark.parametrize(
    "start",
    [
        *("sk_live_", "sk_test_", "rk_live_", "pk_live_", "whsec_", "glrt-", "gldt-", "xapp-1-"),
        *("dop_v1_", "dapi", "hvs.", "dp.pt.", "shpat_", "lin_api_", "ntn_", "gsk_", "xai-"),
        *("pplx-", "r8_", "sbp_", "figd_", "sntrys_", "NRAK-", "PMAK-", "GOCSPX-", "ATATT3"),
        *("SK", "key-", "pscale_tkn_", "rubygems_", "AGE-SECRET-KEY-1", "123456789:AA"),
    ],
)
def test_a_key_is_known_by_its_beginning_alone(start: str) -> None:
    token = start + "0a1b2c3d4e5f60718293a4b5c6d7e8f9"
    assert find_secrets(f"use {token}, then go on") == [(4, 4 + len(token))]


@pytest.mark.parametrize(
    "text", ["sk_live_", "desk_test_plan_of_the_week", "glow-in-the-dark-paintings", "key-value"]
)
def test_words_that_begin_like_a_key_are_none(text: str) -> None:
    assert find_secrets(text) == []


def test_a_sign_in_keeps_only_its_method() -> None:
    params = {"methodId": "key", "extra": {"a": [SECRET]}, "code": SECRET}
    found = masked({"method": "authenticate", "params": params})
    assert found["params"] == {"methodId": "key", "extra": {"a": [MASK]}, "code": MASK}


@pytest.mark.check(70)
@pytest.mark.parametrize("part", ["params", "result"])
def test_accounts_are_nobody_else_s_business(part: str) -> None:
    account = {"label": "Max", "active": True, "email": "ada@example.org", "name": None}
    found = masked({part: {"state": "authenticated", "accounts": [account]}})
    hidden = {"label": MASK, "active": True, "email": MASK, "name": None}
    assert found[part] == {"state": "authenticated", "accounts": [hidden]}
    other = {part: {"accounts": [account]}}
    assert masked(other) == other


def test_of_a_sign_in_of_the_wrong_form_nothing_stays() -> None:
    found = masked({"method": "authenticate", "params": [{"any": SECRET}, "plain"]})
    assert found["params"] == [{"any": MASK}, MASK]


def test_an_environment_of_the_wrong_form_is_masked_as_text() -> None:
    found = masked({"params": {"env": f"API_KEY={SECRET} LANG=C", "headers": 5}})
    assert found["params"] == {"env": f"API_KEY={MASK} LANG=C", "headers": 5}


def test_what_is_not_set_is_no_secret() -> None:
    redactor = Redactor()
    unset = b'{"result": {"token": null, "apiKey": "", "password": false, "secret": "[masked]"}}'
    frame = Frame(Direction.IN, unset, 1.0, 1)
    assert redactor.record(frame) is frame
    assert redactor.summary() == "nothing was masked"


def test_paths_of_changed_files() -> None:
    changed = Redactor().record(FilesChanged(1.0, 1, ["/w/a.py", f"/w/token={SECRET}"]))
    assert changed == FilesChanged(1.0, 1, ["/w/a.py", f"/w/token={MASK}"])


def test_environments_and_headers_keep_their_names() -> None:
    env = [{"name": "A", "value": SECRET}]
    servers = [{"name": "x", "env": env}, {"name": "y", "headers": {"X-Own": SECRET}}]
    found = masked({"method": "session/new", "params": {"mcpServers": servers}})
    first, second = found["params"]["mcpServers"]
    assert first["env"] == [{"name": "A", "value": MASK}]
    assert second["headers"] == {"X-Own": MASK}


@pytest.mark.parametrize("key", ["apiKey", "api_key", "token", "accessToken", "SECRET", "password", "Authorization", "set-cookie", "clientSecretValue"])  # fmt: skip
def test_keys_that_look_secret(key: str) -> None:
    assert masked({"result": {"deep": [{key: SECRET}]}})["result"]["deep"] == [{key: MASK}]


@pytest.mark.parametrize(
    "key", ["auth", "basicAuth", "_auth", "pwd", "dbPwd", "pw", "passphrase", "cookie", "Cookies", "psk", "totp"]
)  # fmt: skip
def test_short_names_of_secrets(key: str) -> None:
    assert masked({"result": {"deep": [{key: SECRET}]}})["result"]["deep"] == [{key: MASK}]


def test_a_pin_is_of_four_digits_or_more() -> None:
    told = {"pin": "4711", "cardPin": 123456, "gpio": {"pin": 13}, "pinned": "4711", "pins": [4711]}
    found = masked({"result": told})["result"]
    assert found == {**told, "pin": MASK, "cardPin": MASK}


@pytest.mark.parametrize(
    "told",
    [
        {
            "auth": {"terminal": True, "logout": {}},
            "agentCapabilities": {"auth": {"type": "agent"}},
        },
        {"pwd": "/home/ada/work", "PWD": "~/work", "auth": "oauth2", "pw": None},
        {"authMethods": [{"id": "key", "name": "Sign in"}], "author": "Ada", "pinned": True},
        {"command": "docker", "args": ["run", "-p", "8080:80", "-u", "1000:1000", "x"]},
        {"command": "mysql", "args": ["-h", "db", "-p", "shop"]},
        {"argv": ["ssh", "-p", "2222", "host"], "other": ["git", "push", "-u", "origin", "main"]},
    ],
)
def test_what_only_has_such_a_name_stays(told: dict[str, Any]) -> None:
    assert masked({"result": told}) == {"result": told}


@pytest.mark.parametrize(
    "argv",
    [
        ["sshpass", "-p", SECRET, "ssh", "host"],
        ["mysql", "-uroot", f"-p{SECRET}", "shop"],
        ["curl", "-s", f"-uada:{SECRET}", "https://example.org"],
        ["curl", "-u", f"ada:{SECRET}", "https://example.org"],
        ["sudo", "sshpass", f"-p{SECRET}", "ssh", "host"],
        ["redis-cli", "-a", SECRET],
    ],
)
def test_secrets_in_lists_of_words(argv: list[str]) -> None:
    command, *args = argv
    found = masked({"params": {"argv": argv, "terminal": {"command": command, "args": args}}})
    hidden = [word.replace(SECRET, MASK) for word in argv]
    assert found["params"]["argv"] == hidden
    assert found["params"]["terminal"] == {"command": command, "args": hidden[1:]}


@pytest.mark.parametrize(
    "text",
    [
        "The auth: see below. Use mysql -p to be asked, or mysql -h db -P 3306 -e 'select 1'.",
        "cd /x && PWD=/home/ada/work make; pwd=~/x; auth=none; auth=basic",
        "pass: 12, fail: 3; pass=12 fail=0; test pass -p 1",
        "docker run -p 8080:80 -u 1000:1000 x; ssh -p 2222 host; mkdir -p a/b; git push -u origin main",
        "http://localhost:3000/@vite/client https://cdn.example.org:443/pkg@1.2 https://x.org/a:b@c",
        "file:///C:/Users/ada@work/x.txt vscode://file/c:/x@y git+ssh://git@example.org:me/it.git@v1",
        "a pin on the map; pin=13; spin=4711; the author: Ada; opinion=12345678",
        "zip -r a.zip b; 7z x a.7z; redis-cli -h x ping; curl -sS -o out https://example.org",
        "keyboard: qwertz; monkey=banana",
    ],
)
def test_ordinary_text_has_no_secrets(text: str) -> None:
    assert [text[start:end] for start, end in find_secrets(text)] == []


@pytest.mark.parametrize(
    "key", ["keyboard", "tokenizer", "monkey", "sessionId", "author", "inputs"]
)
def test_keys_that_only_sound_like_it(key: str) -> None:
    assert not is_secret(key)


def test_counted_tokens_stay() -> None:
    usage = {"result": {"usage": {"totalTokens": 12, "inputTokens": 5}}}
    assert masked(usage) == usage


@pytest.mark.parametrize(
    "text",
    [
        f"API_KEY={SECRET}",
        f"password: {SECRET}",
        f"Authorization: Bearer {SECRET}",
        f'{{"token": "{SECRET}"}}',
        json.dumps(f'{{"token": "{SECRET}"}}'),
        f"private_key = '{SECRET} and more'",
        f"https://ada:{SECRET}@example.org/x",
        f"https://example.org/x?y=1&sig={SECRET}",
        f"Cookie: theme=dark; session={SECRET}",
        f"login --password {SECRET}",
        f"curl -u ada:{SECRET} example.org",
        f"-----BEGIN RSA PRIVATE KEY-----\nMII\n{SECRET}\n-----END RSA PRIVATE KEY-----",
        f"glpat-{SECRET}{SECRET}",
        f"mysql -h db -uroot -p{SECRET} shop",
        f"mysqldump -p'{SECRET}' shop > x",
        f'mariadb-admin --host=x -p"{SECRET}" status',
        f"curl -uada:{SECRET} https://example.org",
        f"curl -sSu ada:{SECRET} https://example.org",
        f"curl --proxy-user ada:{SECRET} https://example.org",
        f"sshpass -p {SECRET} ssh host",
        f"sshpass -p'{SECRET}' ssh host",
        f"sshpass -p{SECRET} ssh host",
        f"docker login -u ada -p {SECRET} example.org",
        f"redis-cli -h x -a {SECRET} ping",
        f"ldapsearch -D cn=ada -w {SECRET} x",
        f"unzip -P {SECRET} a.zip",
        f"7z x -p{SECRET} a.7z",
        f"mongosh -u ada -p {SECRET}",
        f"plink -pw {SECRET} host",
        f"openssl rsa -passin pass:{SECRET} -in k",
        f"http -a ada:{SECRET} example.org",
        f"smbclient -U ada%{SECRET} //x/y",
        f"wget --user=ada --password={SECRET} x",
        f"curl --pass {SECRET} x",
        f"postgres://ada:{SECRET}/{SECRET}@db.example.org:5432/x",
        f"amqp://ada:a/{SECRET}@localhost",
        f"auth={SECRET}",
        f"PWD={SECRET}",
        f"server=x;pwd={SECRET};user=ada",
        f'{{"auth": "{SECRET}"}}',
        f'{{"pwd": "{SECRET}"}}',
        f"passphrase: {SECRET}",
    ],
)
def test_secrets_in_texts(text: str) -> None:
    found = masked({"params": {"update": {"content": {"type": "text", "text": text}}}})
    assert MASK in found["params"]["update"]["content"]["text"]
    said = Redactor().record(StderrLine(1.0, text))
    assert isinstance(said, StderrLine)
    assert SECRET not in said.text
    printed = Redactor().record(TerminalOutput(1.0, "t", text.encode() + b"\n\xff"))
    assert isinstance(printed, TerminalOutput)
    assert SECRET.encode() not in printed.data
    assert printed.data.endswith(b"\xff")
    noise = Redactor().record(Frame(Direction.IN, text.encode() + b"\xfe", 1.0, 1))
    assert isinstance(noise, Frame)
    assert SECRET.encode() not in noise.raw


def test_secrets_in_json_that_is_a_text() -> None:
    servers = {"env": {"ANY": SECRET}, "args": ["--verbose", "--api-key", SECRET], "n": [1]}
    found = masked({"params": {"rawInput": json.dumps(servers), "text": "[not json"}})
    cleaned = {"env": {"ANY": MASK}, "args": ["--verbose", "--api-key", MASK], "n": [1]}
    assert json.loads(found["params"]["rawInput"]) == cleaned
    assert found["params"]["text"] == "[not json"


@pytest.mark.parametrize(
    "text",
    ["--max-tokens 4096", "the token: it is", 'password = "" + x + ""', "http://localhost:8080/@x"],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert Redactor().text(text, "x") == text


@pytest.mark.parametrize(
    "piece",
    ["QUJD-REVG_", 'password="', "secret", "eyJhbGciOiJ-", "://a:", "-----BEGIN PRIVATE KEY"],
)
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert len(Redactor().text(text, "x")) <= len(text)


def test_known_tokens_without_a_name() -> None:
    token = "sk-" + "a1b2c3d4" * 4
    said = Redactor().record(StderrLine(1.0, f"using {token} now"))
    assert isinstance(said, StderrLine)
    assert said.text == f"using {MASK} now"


def test_arguments_of_the_command() -> None:
    argv = ("agent", "--api-key", SECRET, f"--token={SECRET}", "--verbose")
    started = Redactor().record(ProcessStarted(1.0, argv, "/", 1))
    assert isinstance(started, ProcessStarted)
    assert started.argv == ("agent", "--api-key", MASK, f"--token={MASK}", "--verbose")
    assert Redactor().facts({"argv": list(argv)})["argv"] == list(started.argv)


def test_what_holds_no_secret_keeps_its_exact_bytes() -> None:
    frame = Frame(Direction.IN, b'{ "result" :  {"b":1, "a":"\\u00e9"} }', 1.0, 1)
    redactor = Redactor()
    assert redactor.record(frame) is frame
    assert not redactor.masked


def test_it_says_what_it_masked() -> None:
    redactor = Redactor()
    assert redactor.summary() == "nothing was masked"
    for _ in range(2):
        redactor.record(Frame(Direction.IN, b'{"result":{"token":"abc"}}', 1.0, 1))
    assert redactor.summary() == "masked 2: result.token (2)"


def chunk(text: str, number: int, kind: str = "agent_message_chunk") -> Frame:
    update = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    message = {"method": "session/update", "params": {"sessionId": "s1", "update": update}}
    return Frame(Direction.IN, json.dumps(message).encode(), 1.0, number)


def printed(text: str, number: int, name: str) -> Frame:
    meta = {name: {"terminal_id": "t1", "data": text}}
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "_meta": meta}
    message = {"method": "session/update", "params": {"sessionId": "s1", "update": update}}
    return Frame(Direction.IN, json.dumps(message).encode(), 1.0, number)


@pytest.mark.parametrize("size", [1, 3, 7, 20, 100])
def test_a_secret_is_masked_however_it_is_cut_into_pieces(size: int) -> None:
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    text = f"first {token}, then password={SECRET} and no more"
    cut = [text[at : at + size] for at in range(0, len(text), size)]
    for records in (
        [chunk(piece, number) for number, piece in enumerate(cut)],
        [TerminalOutput(at, "t1", piece.encode()) for at, piece in enumerate(cut)],
        [printed(piece, number, "terminal_output") for number, piece in enumerate(cut)],
        [printed(piece, number, "terminal_output_delta") for number, piece in enumerate(cut)],
    ):
        redactor = Redactor()
        redactor.scan(records)
        cleaned = [redactor.record(record) for record in records]
        assert said(cleaned) == f"first {MASK}, then password={MASK} and no more"
        assert redactor.masked.total() >= 2


def test_a_line_that_is_no_json_does_not_part_the_pieces_of_a_secret() -> None:
    noise = Frame(Direction.IN, b'{"method": "session/update", "params": {', 1.0, 2)
    records = [chunk("password=hunter2", 1), noise, chunk("hunter2 and no more", 3)]
    redactor = Redactor()
    redactor.scan(records)
    first, between, last = [redactor.record(record) for record in records]
    assert said([first, last]) == f"password={MASK} and no more"
    assert between == noise


def test_a_secret_in_pieces_that_is_known_by_its_name_and_its_form_is_masked_once() -> None:
    token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    records = [chunk(f"token={token[:9]}", 1), chunk(f"{token[9:]} and no more", 2)]
    redactor = Redactor()
    redactor.scan(records)
    assert said([redactor.record(record) for record in records]) == f"token={MASK} and no more"


def test_each_piece_is_looked_through_but_once_however_many_secrets_it_has() -> None:
    looked: list[str] = []

    def find(text: str) -> list[tuple[int, int]]:
        looked.append(text)
        return find_secrets(text)

    many = f"password={SECRET}, " * 20
    assert find_split_parts([chunk(many, 1), chunk("and no more", 2)], find) == {}
    assert looked == [f"{many}and no more", many]
    assert find_split_parts([chunk(many, 1)], find) == {}
    assert len(looked) == 2


def test_what_stands_beside_a_gap_makes_no_secret() -> None:
    records = [
        TerminalOutput(1.0, "t1", b"the password: "),
        OutputOmitted(2.0, "t1", 5, "00"),
        TerminalOutput(3.0, "t1", b"abcdefgh"),
    ]
    redactor = Redactor()
    redactor.scan(records)
    assert [redactor.record(record) for record in records] == records


def test_pieces_of_different_texts_make_no_secret() -> None:
    records = [
        chunk("the password: ", 1),
        chunk("hidden well", 2, "agent_thought_chunk"),
        chunk("no secret here", 3),
    ]
    redactor = Redactor()
    redactor.scan(records)
    assert [redactor.record(record) for record in records] == records


def said(records: list[Any]) -> str:
    return "".join(
        _piece(json.loads(one.raw)["params"]["update"])
        if isinstance(one, Frame)
        else one.data.decode()
        for one in records
    )


def _piece(update: dict[str, Any]) -> str:
    holder = update.get("content") or next(iter(update["_meta"].values()))
    return str(holder.get("text", holder.get("data")))


def test_in_a_list_of_pairs_what_is_no_pair_is_looked_through() -> None:
    pairs = [{"name": "A", "value": SECRET}, {"token": SECRET}, "plain"]
    assert masked({"env": pairs})["env"] == [{"name": "A", "value": MASK}, {"token": MASK}, "plain"]


def test_the_names_of_variables_are_looked_at_too() -> None:
    token = "sk-" + SECRET * 2
    pairs = [
        {"name": token, "value": "v", "note": {"token": SECRET}},
        [token, "v"],
        f"{token}=v",
        [{"a": 1}, "v"],
    ]
    assert masked({"env": pairs})["env"] == [
        {"name": MASK, "value": MASK, "note": {"token": MASK}},
        [MASK, MASK],
        MASK,
        [{"a": 1}, MASK],
    ]


def test_where_a_command_has_to_run_only_secrets_of_its_environment_are_masked() -> None:
    token = "sk-" + SECRET * 2
    pairs = [{"name": "CI", "value": "1"}, {"name": "KEY", "value": SECRET}, ["PASSWORD", SECRET],
             ["TERM", "dumb"], f"API_KEY={SECRET}", "A=b", {"name": "X", "value": token}]  # fmt: skip
    told = {"env": pairs, "environment": {"CI": "x", "TOKEN": SECRET}, "headers": {"A": "b"}}
    assert Redactor(environments=False).value(told, "") == {
        "env": [{"name": "CI", "value": "1"}, {"name": "KEY", "value": MASK}, ["PASSWORD", MASK],
                ["TERM", "dumb"], MASK, "A=b", {"name": "X", "value": MASK}],
        "environment": {"CI": "x", "TOKEN": MASK},
        "headers": {"A": MASK},
    }  # fmt: skip


def test_of_a_header_all_is_looked_at() -> None:
    token = "sk-" + SECRET * 2
    facts = {"argv": ["a", token], "env": ["HOME", token], "cwd": f"/{token}", "version": 1}
    cleaned = {"argv": ["a", MASK], "env": ["HOME", MASK], "cwd": f"/{MASK}", "version": 1}
    assert Redactor().facts(facts) == cleaned
    assert Redactor().facts({"cwd": "/w"}) == {"cwd": "/w"}
    assert Redactor().facts({"argv": token}) == {"argv": MASK}


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_what_a_pattern_finds_has_one_of_its_hints(data: st.DataObject) -> None:
    for form in secret_patterns.FORMS:
        text = data.draw(st.from_regex(form.whole))
        head = form.head.search(text)
        if form.hints and head is not None:
            begin = text[head.start() : head.start() + secret_patterns.NEAR].casefold()
            assert any(hint in begin for hint in form.hints)


@pytest.mark.parametrize(
    "value",
    [
        {"command": ["curl", "-u", f"me:{SECRET}", "host"]},
        {"env": [f"NAME={SECRET}", "-"]},
        {"headers": [["X", SECRET]]},
        {"environment_variables": {"NAME": SECRET}},
        {"any": [{"name": "API_KEY", "value": SECRET}]},
        {"any": {"key": "password", "value": SECRET}},
        {"passcode": SECRET},
        {"text": f"DB_PASS={SECRET}"},
        {"text": f"sshpass -p '{SECRET}' ssh host"},
        {"text": f"machine host login me password {SECRET}"},
        {"text": f"https://{SECRET}xyz@host/"},
        {"text": f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n{SECRET}\n-----END"},
    ],
)
def test_a_secret_is_known_by_what_stands_beside_it(value: dict[str, Any]) -> None:
    assert SECRET not in json.dumps(Redactor().value(value, ""))


@pytest.mark.parametrize(
    "value",
    [
        {"text": "12 pass: 3, bypass=true, ssh://git@host/x, name@host"},
        {"command": ["sort", "-u", "me", "file"]},
        {"name": "mode", "value": "code"},
        {"env": ["-", "a b"]},
    ],
)
def test_what_only_looks_like_it_stays(value: dict[str, Any]) -> None:
    assert Redactor().value(value, "") == value


LONG_TEXTS = {
    "a token": "ghp_0123456789abcdefghijABCD",
    "a key": "-----BEGIN PRIVATE KEY-----"
    + "MIIEvQIBADANBgkq\n" * 2000
    + "-----END PRIVATE KEY-----",
    "a password": 'password = "correct horse battery"',
}


@pytest.mark.parametrize("secret", LONG_TEXTS.values(), ids=LONG_TEXTS)
@pytest.mark.parametrize("before", [-40, -8, -1, 0, 1])
def test_in_a_long_text_a_secret_is_found_wherever_it_is_looked_at_in_two_parts(
    secret: str, before: int
) -> None:
    for border in (secret_patterns.WINDOW, secret_patterns.WINDOW + secret_patterns.NEAR):
        lead = "some words " * (border // 11 + 1)
        text = f"{lead[: border + before]} {secret} and more words " + "of others " * 900
        masked = Redactor().text(text, "here")
        assert masked.count(MASK) == 1
        assert len(masked) < len(text)
        assert masked.startswith(lead[: border + before])
        for part in ("ghp_", "MIIEv", "horse"):
            assert part not in masked


@pytest.mark.parametrize(
    "text",
    [
        f"https://{'u' * 200_000}:{SECRET}@host ",
        f"{'y' * 60_000} https://user:{'p' * 200_000}{SECRET}@host ",
        f"https://me@example.com:{SECRET}@host ",
        f"{'a' * 65_530} -u {'n' * 100_000}:{SECRET} host",
        f"token{' ' * 100_000}={' ' * 100_000}{SECRET}",
        f"--{'x' * 100_000}-password {SECRET}",
        f"--password{' ' * 100_000}{SECRET}",
        f'password{chr(92) * 100_000}"={SECRET}',
        f'password="{"a b " * 2_000}{SECRET}"',
        f"eyJ{'a' * 100_000}.{'b' * 100_000}.{SECRET} ",
    ],
)
def test_a_secret_is_found_however_long_what_names_it_is(text: str) -> None:
    assert SECRET not in Redactor().text(text, "here")


class CountedPattern:
    """A pattern that notes how many characters it may look at, each time."""

    looked: ClassVar[list[int]] = []

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern

    def search(self, text: str, start: int, end: int) -> re.Match[str] | None:
        self.looked.append(min(end, len(text)) - start)
        return self._pattern.search(text, start, end)

    def match(self, text: str, start: int, end: int) -> re.Match[str] | None:
        self.looked.append(min(end, len(text)) - start)
        return self._pattern.match(text, start, end)


@pytest.mark.parametrize(
    "word",
    [
        "A" * 600_000,
        "token=" + "A" * 600_000,
        "https://" + "A" * 600_000,
        "https://me:" + "A" * 600_000,
        "-----BEGIN PRIVATE KEY-----" + "A" * 600_000 + "-----END",
        "Bearer " + "A" * 600_000,
    ],
    ids=["a word", "a name", "an address", "an account", "a key", "a bearer"],
)
def test_no_step_looks_at_much_of_a_word_of_megabytes(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = [
        form._replace(**{name: CountedPattern(getattr(form, name)) for name in form._fields[1:]})
        for form in secret_patterns.FORMS
    ]
    monkeypatch.setattr(secret_patterns, "FORMS", counted)
    monkeypatch.setattr(CountedPattern, "looked", [])
    masked = Redactor().text(f"{word} and the rest", "here")
    assert masked.endswith(" and the rest")
    assert max(CountedPattern.looked) <= secret_patterns.LONGEST_SECRET_CONTEXT
    assert sum(CountedPattern.looked) <= 2 * len(counted) * len(word)


@pytest.mark.parametrize("name", ["token=", "Bearer ", "cookie: ", "ghp_", "--password "])
def test_of_a_secret_that_is_longer_than_one_step_nothing_stays(name: str) -> None:
    secret = "A1b2" * (secret_patterns.LONGEST_SECRET_CONTEXT // 3)
    text = Redactor().text(f"use {name}{secret}' and more", "here")
    assert "A1b2" not in text
    assert text.endswith("' and more")
    assert "A1b2" not in Redactor().text(f"use {name}{secret}", "here")


def test_a_private_key_that_is_longer_than_one_step_ends_where_it_says() -> None:
    lines = "MIIEvQIBADANBgkq\n" * (secret_patterns.LONGEST_SECRET_CONTEXT // 8)
    text = f"-----BEGIN PRIVATE KEY-----\n{lines}-----END PRIVATE KEY-----\nmore"
    end = "-----END PRIVATE KEY-----\nmore"
    assert Redactor().text(text, "here") == f"-----BEGIN PRIVATE KEY-----{MASK}{end}"


def test_a_long_line_is_masked_as_a_short_one() -> None:
    assert masked({"params": {"apiKey": SECRET, "text": "word " * 300_000}})["params"] == {
        "apiKey": MASK,
        "text": "word " * 300_000,
    }


def test_who_masks_may_give_up_in_the_midst_of_a_long_text() -> None:
    pauses = 0

    def pause() -> None:
        nonlocal pauses
        pauses += 1
        if pauses == 5:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        Redactor(pause).text("word " * secret_patterns.WINDOW, "here")
    assert pauses == 5


def test_a_secret_in_a_name_is_masked_and_no_field_is_lost() -> None:
    token = "sk-" + SECRET * 2
    told = {"a": 1, token: {"b": 2}, f"{MASK} 2": 3, f"{token}x": [4], f"{token}y": 5}
    found = masked({"result": {"usage": told}})["result"]["usage"]
    assert found == {"a": 1, MASK: {"b": 2}, f"{MASK} 2": 3, f"{MASK} 3": [4], f"{MASK} 4": 5}


def test_one_secret_among_the_names_of_many_fields_is_found() -> None:
    token = "sk-" + SECRET * 2
    found = masked({"result": {**{f"field {at}": at for at in range(100)}, token: "it"}})
    assert list(found["result"])[-1] == MASK


def test_many_fields_without_a_secret_in_their_names_stay() -> None:
    fields = {f"field {at}": at for at in range(100)}
    assert masked({"result": fields})["result"] == fields


def test_what_was_masked_is_told_in_few_words_however_deep_and_many_it_was() -> None:
    redactor = Redactor()
    value: Any = {f"{at}_token": "it" for at in range(60)}
    for _ in range(1000):
        value = {"within": [value]}
    redactor.value({"many": {f"{at}_key": "it" for at in range(60)}, "deep": value}, "")
    assert redactor.masked.total() == 120
    assert len(redactor.summary()) < 2000
    assert redactor.summary().endswith(", and 11 other places")


def test_what_tells_of_a_masked_name_does_not_tell_it() -> None:
    redactor = Redactor()
    redactor.value({"env": {"sk-" + SECRET * 2: "any"}}, "")
    assert SECRET not in redactor.summary()


def test_of_a_line_that_is_not_read_nothing_is_shown() -> None:
    raw = b'{"token":"%b","deep":%b%b}' % (SECRET.encode(), b"[" * 300, b"]" * 300)
    redactor = Redactor()
    cleaned = redactor.record(Frame(Direction.IN, raw, 1.0, 1))
    assert isinstance(cleaned, Frame)
    assert cleaned.raw == MASK.encode()
    assert redactor.summary() == "masked 1: line over a limit"
