"""Letters that are more than one character, as they are typed."""

from pathlib import Path

from tests.e2e.terminal import ENTER, terminal
from tests.e2e.test_tui import READY
from tests.examples import parametrize
from tests.fake_agent.script import Played, Script

WALES = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"


@parametrize(
    2,
    ("typed", "sent"),
    [
        ("tea 👩\u200d💻 and ❤\ufe0f", "tea 👩\u200d💻 and ❤\ufe0f"),
        (f"{WALES}!", f"{WALES}!"),
        ("न\u094d\u200dय", "न\u094d\u200dय"),
        ("a\u200fb\u202ec", "a\ufffdb\ufffdc"),
        ("\U000e0067x", "\ufffdx"),
    ],
    ids=["joiners", "flag", "conjunct", "directions are shown", "a tag alone is shown"],
)
def test_what_is_typed_is_sent_as_what_is_pasted(tmp_path: Path, typed: str, sent: str) -> None:
    script = Script().handshake().prompt().chunk("fine").end_turn()
    with terminal("--no-record", "--", *script.argv(tmp_path)) as it:
        it.wait_for(READY)
        it.send(f"{typed}{ENTER}")
        it.wait_for("fine")
        it.leave()
        it.wait_for_exit()
    (call,) = Played(tmp_path).calls("session/prompt")
    assert call["params"]["prompt"][0]["text"] == sent
