"""Runs a race: creates the worktrees, runs `acp-tui run` in each, then the judge, and commits the
results.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import anyio
from anyio import to_thread

from acp_tui.client.process.agent_process import AgentProcess
from acp_tui.client.process.group import Exit, SpawnError, spawn_process
from acp_tui.git.objects import GitError
from acp_tui.race.racer import JudgeResult, Racer
from acp_tui.race.races import Race, Races
from acp_tui.race.repository import CommitChanges, RaceRepository, describe_inner_repositories
from acp_tui.text import clean_line

CANCEL_TIMEOUT = 10.0
"""Seconds that `acp-tui run` has to cancel its turn and exit."""
LONGEST_RUN_LINE = 64 * 1024 * 1024
"""Longest line of a run's output, in bytes; longer ones are skipped."""
INTERRUPTED = 130
"""The exit code of an interrupted run."""


class Runner:
    """Runs one race; calls `changed` with each agent whose state has changed."""

    def __init__(
        self,
        race: Race,
        races: Races,
        repository: RaceRepository,
        starts: "Sequence[RacerStart]",
        changed: Callable[[Racer], None],
    ) -> None:
        self._race = race
        self._races = races
        self._repository = repository
        self._starts = starts
        self._changed = changed
        self._running: list[tuple[Racer, AgentProcess]] = []
        self._judging: anyio.CancelScope | None = None
        self.interrupted = False
        self.unsaved = ""
        """Why the results could not be saved, or ""."""

    async def run(self) -> None:
        """Run all agents at the same time and store their results; then run the judge in each
        worktree, and remove it.

        Raises GitError or OSError if the race can't start; then no agent was started.
        """
        self._races.save(self._race)
        places = await self._add_worktrees()
        with anyio.CancelScope(shield=True):
            async with anyio.create_task_group() as runs:
                for start, place in zip(self._starts, places, strict=True):
                    runs.start_soon(self._run_turn, start, place)
            for start, place in zip(self._starts, places, strict=True):
                await self._store_files(start.racer, place)
            self._save_race()
            for start, place in zip(self._starts, places, strict=True):
                await self._judge_files(start, place)
                await self._remove_worktree(start.racer, place)
            self._save_race()

    async def finish(self) -> None:
        """Store the results of an interrupted race, and remove its worktrees."""
        for racer in self._race.racers:
            place = self._repository.checked_out(Path(racer.worktree))
            if racer.is_unstored:
                await self._store_interrupted(racer, place)
        self._save_race()
        for racer in self._race.racers:
            place = self._repository.checked_out(Path(racer.worktree))
            if place.is_there:
                await self._remove_worktree(racer, place)
        self._save_race()

    def interrupt(self) -> None:
        """Cancel all turns; if called again, end the runs immediately. The agents' work is stored
        anyway.
        """
        how = signal.SIGTERM if self.interrupted else signal.SIGINT
        self.interrupted = True
        for racer, process in self._running:
            racer.turn.doing = "canceling" if how == signal.SIGINT else "ending"
            self._changed(racer)
            with suppress(ProcessLookupError):
                os.kill(process.pid, how)
        if self._judging is not None:
            self._judging.cancel()

    async def _add_worktrees(self) -> list[RaceRepository]:
        """Check out a worktree for each agent. If one fails, remove the others and raise GitError."""
        places: list[RaceRepository] = []
        try:
            for start in self._starts:
                add, where = self._repository.add_worktree, Path(start.racer.worktree)
                places.append(await to_thread.run_sync(add, where, self._race.base))
        except GitError:
            for place in places:
                with suppress(GitError):
                    await to_thread.run_sync(self._repository.remove_worktree, place.root)
            raise
        return places

    async def _run_turn(self, start: "RacerStart", place: RaceRepository) -> None:
        """Run one agent's turn, and follow the run's output."""
        racer, began = start.racer, time.monotonic()
        if self.interrupted:
            racer.turn.exit_code, racer.turn.why = INTERRUPTED, "interrupted"
            return
        command = [sys.executable, "-m", "acp_tui", "run", *start.arguments]
        command[4:4] = ["--format", "json", "--cwd", str(place.root / start.below)]
        try:
            process = await AgentProcess.spawn(command, str(place.root))
        except (SpawnError, OSError) as error:
            racer.turn.exit_code, racer.turn.why = 1, str(error)
            self._changed(racer)
            return
        running = (racer, process)
        self._running.append(running)
        process.close_stdin()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._follow_stderr, racer, process)
                async for event in _read_objects(process):
                    racer.turn.follow(event)
                    self._changed(racer)
                ended = await process.wait()
        finally:
            self._running.remove(running)
            await process.stop(CANCEL_TIMEOUT)
        racer.turn.seconds = round(time.monotonic() - began, 3)
        racer.turn.exit_code = ended.code if ended.code is not None else 1
        if ended.code != 0 and not racer.turn.why:
            racer.turn.why = racer.turn.complaint or ended.signal or "it failed"
        self._save_race()
        self._changed(racer)

    async def _follow_stderr(self, racer: Racer, process: AgentProcess) -> None:
        """Follow the run's stderr, which says for example why it could not start."""
        async for line in process.stderr_lines():
            racer.turn.complain(line)
            self._changed(racer)

    async def _store_files(self, racer: Racer, place: RaceRepository) -> None:
        """Store the files in an agent's worktree as a commit."""
        race = self._race
        if not place.is_there:
            racer.files.trouble = f"its worktree is gone: {place.root} was removed or renamed"
            self._changed(racer)
            return
        first_line = clean_line(race.prompt.strip().partition("\n")[0])[:72]
        words = f"{racer.label}: {first_line}"
        try:
            made = await to_thread.run_sync(place.snapshot, words, race.base)
            await to_thread.run_sync(self._claim_ref, f"{race.name}/{racer.label}", made.commit)
            racer.files.commit, racer.files.ignored = made.commit, made.ignored
            if made.lacking:
                racer.files.left = (
                    f"the result lacks {describe_inner_repositories(made.lacking)}, as git keeps none inside another: "
                    f"all of it is left in {place.root}"
                )
            racer.files.changes = await to_thread.run_sync(
                self._repository.changes, race.base, made.commit
            )
        except GitError as error:
            racer.files.trouble = f"its files are left in {place.root}: {error}"
        self._changed(racer)

    async def _store_interrupted(self, racer: Racer, place: RaceRepository) -> None:
        """Store an agent's files after an interrupted race; if its turn had not begun, there are
        none.
        """
        if racer.turn.is_open:
            racer.turn.exit_code, racer.turn.why = INTERRUPTED, "the race was interrupted"
        if await anyio.Path(racer.recording).exists():  # the turn had begun
            await self._store_files(racer, place)
        else:  # the worktree may be incomplete
            racer.files.commit, racer.files.changes = self._race.base, CommitChanges(0, 0, 0)

    def _claim_ref(self, name: str, commit: str) -> None:
        """Create a ref for a commit, under another name if the interrupted race had already created
        it. Raises GitError.
        """
        if not self._repository.claim(name, commit):
            # a label has no dots, so this name is free
            self._repository.create_ref(f"{name}.finished", commit)

    def _save_race(self) -> None:
        """Save the results so far. A failure is only stored: the user sees the results anyway."""
        try:
            self._races.save(self._race)
        except OSError as error:
            self.unsaved = error.strerror or str(error)

    async def _judge_files(self, start: "RacerStart", place: RaceRepository) -> None:
        """Run the judge's command in the agent's worktree, if its turn ended normally."""
        racer = start.racer
        is_stored = racer.files.commit and not racer.files.trouble
        if not self._race.judge or self.interrupted or racer.turn.exit_code != 0 or not is_stored:
            return
        racer.turn.doing = "being judged"
        self._changed(racer)
        began = time.monotonic()
        try:
            code, why = await self._run_judge(start, place)
        except (SpawnError, OSError) as error:
            code, why = None, str(error)
        racer.judged = JudgeResult(code, round(time.monotonic() - began, 3), why)

    async def _run_judge(
        self, start: "RacerStart", place: RaceRepository
    ) -> tuple[int | None, str]:
        """Run the judge's command, with its output in a file.

        Return its exit code, or the signal that ended it; neither if it was stopped. Raises
        SpawnError or OSError.
        """
        path = self._races.folder_of(self._race.name) / f"{start.racer.label}.judge.log"
        shell = ["/bin/sh", "-c", self._race.judge]
        below = str(place.root / start.below)
        ended = Exit(None)
        with path.open("wb") as log:
            nothing = subprocess.DEVNULL
            group = spawn_process(
                shell, below, {}, stdin=nothing, stdout=log.fileno(), stderr=log.fileno()
            )
            with anyio.CancelScope() as self._judging:
                ended = await group.wait()
            self._judging = None
            await group.end(CANCEL_TIMEOUT)
        return ended.code, ended.signal or ""

    async def _remove_worktree(self, racer: Racer, place: RaceRepository) -> None:
        """Remove a worktree, unless it has the only copy of something."""
        if not racer.files.left and not racer.files.trouble:
            try:
                await to_thread.run_sync(self._repository.remove_worktree, place.root)
            except GitError as error:
                root = shlex.quote(str(self._repository.root))
                racer.files.trouble = (
                    f"its worktree {place.root} could not be removed: {error}. Delete the folder, "
                    f"then run: git -C {root} worktree prune"
                )
        racer.turn.doing = ""
        self._changed(racer)


class RacerStart(NamedTuple):
    """An agent, the arguments of its `acp-tui run`, and its folder relative to the repository's."""

    racer: Racer
    arguments: tuple[str, ...]
    below: Path


async def _read_objects(process: AgentProcess) -> AsyncIterator[dict[str, Any]]:
    """Yield the JSON objects in a run's output, one per line; other lines are skipped."""
    rest = bytearray()
    dropping = False
    while data := await process.receive():
        *ended, last = data.split(b"\n")
        for piece in ended:
            rest += piece
            if not dropping:
                with suppress(ValueError, RecursionError):
                    event = json.loads(rest)
                    if isinstance(event, dict):
                        yield event
            rest.clear()
            dropping = False
        if not dropping:
            rest += last
        if len(rest) > LONGEST_RUN_LINE:
            rest.clear()
            dropping = True
