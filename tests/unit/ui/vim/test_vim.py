"""Keys in normal and visual mode do what they do in Vim."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.vim.vim import Vim
from tests.unit.ui.vim.reference import Case, by_vim

ONE = 'one two-three  (four, "five six") end'
LINES = "a\n\n  bb cc\nlast line, x"
CODE = "foo.bar(baz[1], {q: 'z y'})\n  if x:\n    y = 1\n"
KEYS: dict[tuple[str, int], str] = {
    (ONE, 0): "w|W|3w|e|2E|$|fo|2fe|tt|Ff|dw|d2w|dW|de|d$|D|dfo|dt-|x|3x|X|~|5~|rz|3rz|cwnew|ce|cc|S|C|sq|yw,p|yiw,P|yy,p"
    "|xp|dd|dd,p|daw|diw|ciwx|Iab|Aab|iab|aab|oab|Oab|dw,.|3x,.|cwx,w.|Aab,.|ywve,p|vey,$,p|veed|vwcQ|vey,2p|v$~|vlod|y$,P",
    (ONE, 10): "b|B|2b|0|^|h|2h|db|dB|d0|dh|dl|daw|diw|diW|daW|dFn|dTn|F-|T-|i-|f ,;|f ,,|t ,;|dh,.",
    (ONE, 18): 'di(|da(|dib|ci(x|yi(,P|d%|di"|da"|dGp|vi(d|va(cQ|vawd',
    (LINES, 11): "}|{|d}|d{|2{|v}d",
    (ONE, 26): "di\"|da\"|ci\"x|vi\"y,0P|daw|db",
    (LINES, 0): "j|2j|G|gg|2G|dj|dd|2dd|3dd|dG|yyjp|yyP|J|3J|o|Ox|cj|jdd|jdd,p|}|ddp|Vd|Vjd|VGd|Vjx,p|VjJ|VJ|vJ|V~|Vjcnew|Vs|VVd|vVd|VvlD|vCnew|vjX|vY,jp|veU|vjU|VU|VUVu|vlR|yyjVp|yyjVp,p|jVd|jjw|jjdw|jjD,.|yj,G,p",
    (LINES, 7): "k|dk|dgg|d0|0|Vd|Vkd|Vj~|Vy,P|Vjy,P|Vjoxk|ywVp|VGJ|Vod|^|dd|cc|ccx|w|dw|db|b|diw|daw|yy,jp|J|vjd|vky|vGd",
    (LINES, 20): "j|dj|dd|2dd|dk|yyp|J|Vd|Vkd|VJ|Vggd|Vcx|e|w|dw|x|D|G|gg|dgg|b|vBd|cw",
    (CODE, 8): "Vjd|V2jd|VjJ|w|dw|di(|da(|ci'x|di'|da'|e|dE|f[|ct,x|dt)|cw",
    (CODE, 12): "ci[x|di(|%|d%|da[|vi[d|ya[$p",
    (CODE, 30): "dd|jp|ddp|>|cwx|caw|J|ddkP|ib",
    ("", 0): "Vd|x|dd|p|iab|dw|yyp|J|~|w|b|e|rz|vd",
    ("x", 0): "x|xp|dw|D|a|A|~|rz|2rz|dd|ddp|vd|l|h",
}  # fmt: skip


def cases() -> Iterator[Case]:
    for (text, at), keys in KEYS.items():
        for one in keys.split("|"):
            yield text, at, one.split(",") if one != "," else [one]


def by_us(text: str, at: int, commands: list[str]) -> tuple[str, int]:
    vim = Vim()
    act = vim.escape(text, min(at + 1, len(text)) if text[at : at + 1] not in ("", "\n") else at)
    assert act is not None
    text, at = act.text, act.at
    for keys in commands:
        for key in keys:
            if vim.mode == "insert":
                text, at = text[:at] + key + text[at:], at + 1
            else:
                act = vim.type(key, text, at)
                text, at = act.text, act.at
        while (act := vim.escape(text, at)) is not None:
            text, at = act.text, act.at
    return text, at


@pytest.mark.skipif(shutil.which("vim") is None, reason="Vim is what tells; it isn't installed")
def test_keys_do_what_they_do_in_vim(tmp_path: Path) -> None:
    every = list(cases())
    told = by_vim(every, tmp_path)
    wrong = [
        f"{text!r} {at} {keys}: {ours} here, {theirs} in Vim"
        for (text, at, keys), theirs in zip(every, told, strict=True)
        if (ours := by_us(text, at, list(keys))) != theirs
    ]
    assert not wrong, "\n".join(wrong)


@given(
    st.text("ab .(\"'\n", max_size=20), st.text("dcyiawbe$0fxtpPvjkGg3.u~Jr(oO%{;,", max_size=12)
)
def test_no_keys_lead_out_of_the_text(text: str, keys: str) -> None:
    vim, at = Vim(), 0
    vim.escape(text, at)
    for key in keys:
        act = vim.escape(text, at) if vim.mode == "insert" else vim.type(key, text, at)
        assert act is not None
        text, at = act.text, act.at
        assert 0 <= at <= len(text)
        assert act.anchor is None or 0 <= act.anchor <= len(text)
