"""What an agent may read and write: a person, a rule or the session's folder decides. On a real disk."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import anyio
import pytest
from anyio.abc import TaskGroup

from acp_tui.client.connection.request_queue import RequestQueue
from acp_tui.client.core import Core
from acp_tui.client.errors import ServiceError
from acp_tui.client.files.access import FileAccess, FileParams
from acp_tui.client.files.history import FileHistory
from acp_tui.client.launch import Launch
from acp_tui.client.permissions.policy import Permissions
from acp_tui.policy.rules import Rule, RuleAnswer
from acp_tui.protocol.events import Record, Ruled
from acp_tui.protocol.file_events import AccessAsked, FilesChanged
from acp_tui.protocol.frames import Direction
from acp_tui.protocol.requests import (
    ReadTextFileParams,
    RequestPermissionParams,
    WriteTextFileParams,
)
from acp_tui.protocol.wire_events import Requested
from acp_tui.state.commands import AnswerPermission
from acp_tui.state.reducers.permissions import ALLOW_FOLDER, ALLOW_ONCE, REJECT
from acp_tui.state.session import Session

pytestmark = pytest.mark.anyio
NUMBERS = count(1)


@dataclass
class Files:
    """The file access of one agent, whose session works in `folder`."""

    folder: Path
    access: FileAccess
    core: Core
    tasks: TaskGroup
    session: Session
    records: list[Record]

    def _request(self, params: FileParams) -> Requested:
        return Requested(Direction.IN, 0.0, next(NUMBERS), 1, "fs/", params)

    async def read(self, path: Path, line: int | None = None, limit: int | None = None) -> str:
        params = ReadTextFileParams(session_id="s", path=str(path), line=line, limit=limit)
        return (await self.access.serve_read(self._request(params), self.session, params)).content

    async def write(self, path: Path, content: str) -> None:
        params = WriteTextFileParams(session_id="s", path=str(path), content=content)
        await self.access.serve_write(self._request(params), self.session, params)

    @property
    def asked(self) -> list[AccessAsked]:
        """The questions so far."""
        return [one for one in self.records if isinstance(one, AccessAsked)]

    @property
    def ruled(self) -> list[tuple[str, str]]:
        """What rules decided, and about what."""
        return [(one.answer, one.about) for one in self.records if isinstance(one, Ruled)]


@asynccontextmanager
async def files(
    tmp_path: Path,
    *answers: str,
    rules: tuple[Rule, ...] = (),
    at_question: Callable[[], object] = lambda: None,
) -> AsyncIterator[Files]:
    """Make a file access, and a person who gives these answers; `at_question` is done before each."""
    folder = tmp_path / "project"
    folder.mkdir()
    records: list[Record] = []
    core = Core(Launch(("agent",), str(folder), ask_if_changed=True), records.append, lambda: 0.0)
    core.state.rules = rules
    session = core.state.sessions["s"] = Session("s", str(folder))
    permissions, history = Permissions(core), FileHistory(core)
    given = list(answers)

    async def answer(event: object) -> None:
        if isinstance(event, AccessAsked):
            at_question()
            command = AnswerPermission(event.request, given.pop(0))
            core.commands[AnswerPermission](command)

    async with anyio.create_task_group() as tasks:
        core.tasks = tasks

        async def serve(request: Requested) -> None:
            raise AssertionError(request)

        queue = RequestQueue(tasks, lambda _: None, serve, lambda: True)
        access = FileAccess(core, queue, permissions, history)
        core.listen(lambda event, _: tasks.start_soon(answer, event))
        yield Files(folder, access, core, tasks, session, records)
        assert not given, "questions that were never asked"
    history.close()


async def refused(work: Awaitable[object], words: str) -> None:
    """Hold that a request is refused in these words."""
    with pytest.raises(ServiceError) as caught:
        await work
    assert words in caught.value.error.message


async def test_in_the_sessions_folder_nobody_is_asked(tmp_path: Path) -> None:
    async with files(tmp_path) as it:
        await it.write(it.folder / "new" / "tea.txt", "green\nblack\n")
        assert await it.read(it.folder / "new" / "tea.txt", line=2) == "black\n"
        assert (it.folder / "new" / "tea.txt").read_text() == "green\nblack\n"


async def test_outside_it_a_person_is_asked_about_the_place_it_really_is(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("tea")
    async with files(tmp_path, ALLOW_ONCE, REJECT) as it:
        link = it.folder / "innocent"
        link.symlink_to(tmp_path / "secret")
        assert await it.read(link) == "tea"
        await refused(it.read(link), "outside the session's working directory")
        assert [one.path for one in it.asked] == [str(tmp_path / "secret")] * 2
        assert all(one.outside for one in it.asked)


async def test_a_rejected_write_leaves_the_file_alone(tmp_path: Path) -> None:
    outside = tmp_path / "file"
    outside.write_text("old")
    async with files(tmp_path, REJECT) as it:
        await refused(it.write(outside, "new"), "Not allowed")
        assert (it.asked[0].old_content, it.asked[0].content) == ("old", "new")
    assert outside.read_text() == "old"


async def test_a_folder_that_is_allowed_is_asked_about_once_and_only_for_what_was_allowed(
    tmp_path: Path,
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(name)
    async with files(tmp_path, ALLOW_FOLDER, REJECT) as it:
        assert await it.read(tmp_path / "one") == "one"
        assert await it.read(tmp_path / "two") == "two"
        await refused(it.write(tmp_path / "two", "three"), "Not allowed")
    assert (tmp_path / "two").read_text() == "two"


async def test_a_file_that_others_changed_is_written_only_after_a_yes(tmp_path: Path) -> None:
    async with files(tmp_path, REJECT, ALLOW_ONCE) as it:
        path = it.folder / "file"
        path.write_text("one")
        await it.read(path)
        path.write_text("by another")
        await refused(it.write(path, "two"), "changed on disk since you read it")
        assert path.read_text() == "by another"
        await it.write(path, "two")
        assert path.read_text() == "two"
        assert [one.old_content for one in it.asked] == ["by another"] * 2


async def test_a_file_that_leads_elsewhere_after_the_question_is_not_written(
    tmp_path: Path,
) -> None:
    for name in ("shown", "other"):
        (tmp_path / name).write_text(name)
    link = tmp_path / "project" / "link"

    def swap() -> None:
        link.unlink()
        link.symlink_to(tmp_path / "other")

    async with files(tmp_path, ALLOW_ONCE, at_question=swap) as it:
        link.symlink_to(tmp_path / "shown")
        await refused(it.write(link, "new"), "outside the session's folder")
    assert (tmp_path / "shown").read_text() == "shown"
    assert (tmp_path / "other").read_text() == "other"


async def test_a_rule_decides_before_the_folder_does_and_it_is_recorded(tmp_path: Path) -> None:
    reject = Rule(RuleAnswer.REJECT, ("read",), paths=("*.key",))
    allow = Rule(RuleAnswer.ALLOW, ("read",), paths=(f"{tmp_path}/shared/**",))
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "tea").write_text("green")
    async with files(tmp_path, rules=(reject, allow)) as it:
        (it.folder / "my.key").write_text("secret")
        await refused(it.read(it.folder / "my.key"), "a rule of the user's rejects it")
        assert await it.read(tmp_path / "shared" / "tea") == "green"
        assert it.ruled == [
            ("reject", f"read {it.folder / 'my.key'}"),
            ("allow", f"read {tmp_path / 'shared' / 'tea'}"),
        ]


async def test_a_rule_that_asks_asks_in_the_sessions_folder_too(tmp_path: Path) -> None:
    rule = Rule(RuleAnswer.ASK, ("edit",))
    async with files(tmp_path, REJECT, rules=(rule,)) as it:
        await refused(it.write(it.folder / "file", "x"), "the user rejects it")
        assert not it.asked[0].outside
        assert it.asked[0].rule
        assert not (it.folder / "file").exists()


@pytest.mark.parametrize("named", ["locations", "content"])
async def test_a_question_names_the_files_that_others_changed(tmp_path: Path, named: str) -> None:
    async with files(tmp_path) as it:
        file, other = it.folder / "tea", it.folder / "other"
        for one in (file, other):
            await it.write(one, "green\n")
        file.write_text("black, by another\n")
        diffs = [
            {"type": "diff", "path": str(one), "oldText": "green\n", "newText": "x"}
            for one in (file, other)
        ]
        places = [{"path": str(one)} for one in (file, other)]
        call = {"toolCallId": "c", named: places if named == "locations" else diffs}
        given = {"sessionId": "s", "toolCall": call, "options": []}
        params = RequestPermissionParams.model_validate(given)
        await it.access.report_changed(
            Requested(Direction.IN, 0.0, next(NUMBERS), 1, "session/request_permission", params),
            params,
        )
        found = [one.paths for one in it.records if isinstance(one, FilesChanged)]
        assert found == [[str(file)]]


async def test_what_a_person_is_asked_about_is_not_recorded_as_decided_by_a_rule(
    tmp_path: Path,
) -> None:
    (tmp_path / "tea").write_text("green")
    ask = Rule(RuleAnswer.ASK, ("read",), paths=(f"{tmp_path}/tea",))
    elsewhere = Rule(RuleAnswer.ALLOW, ("read",), paths=("/elsewhere/**",))
    for number, rule in enumerate((ask, elsewhere)):
        own = tmp_path / str(number)
        own.mkdir()
        async with files(own, ALLOW_ONCE, rules=(rule,)) as it:
            assert await it.read(tmp_path / "tea") == "green"
            assert it.ruled == []


async def test_two_writes_of_one_file_are_done_one_after_the_other(tmp_path: Path) -> None:
    async with files(tmp_path) as it:
        path = it.folder / "file"
        async with anyio.create_task_group() as tasks:
            for text in ("one" * 100_000, "two" * 100_000):
                tasks.start_soon(it.write, path, text)
        assert path.read_text() in ("one" * 100_000, "two" * 100_000)
        assert [one.name for one in it.folder.iterdir()] == ["file"]


async def test_a_relative_path_is_refused_without_a_question(tmp_path: Path) -> None:
    async with files(tmp_path) as it:
        await refused(it.read(Path("file")), "absolute")
        assert not it.asked
