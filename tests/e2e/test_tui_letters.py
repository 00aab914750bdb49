"""Letters that are more than one character, as they are typed."""

from pathlib import Path

from tests.e2e.terminal import ENTER, terminal
from tests.e2e.test_tui import READY
from tests.fake_agent.script import Played, Script

WALES = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"


LETTERS = {
    "joiners": ("tea 👩\u200d💻 and ❤\ufe0f", "tea 👩\u200d💻 and ❤\ufe0f"),
    "flag": (f"{WALES}!", f"{WALES}!"),
    "conjunct": ("न\u094d\u200dय", "न\u094d\u200dय"),
    "directions are shown": ("a\u200fb\u202ec", "a\ufffdb\ufffdc"),
    "a tag alone is shown": ("\U000e0067x", "\ufffdx"),
}


def test_what_is_typed_is_sent_as_what_is_pasted(tmp_path: Path) -> None:
    script = Script().handshake().prompt().chunk("fine").end_turn()
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.wait_for(READY)
        it.send(" | ".join(typed for typed, _ in LETTERS.values()) + ENTER)
        it.wait_for("fine")
    (call,) = Played(tmp_path).calls("session/prompt")
    parts = call["params"]["prompt"][0]["text"].split(" | ")
    assert dict(zip(LETTERS, parts, strict=True)) == {
        name: sent for name, (_, sent) in LETTERS.items()
    }
