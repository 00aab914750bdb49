"""What Vim itself makes of keys, where it is installed."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

_SCRIPT = r"""
set nocompatible encoding=utf-8 noautoindent nojoinspaces belloff=all cpo-=_
let made = []
for case in json_decode(join(readfile($CASES), ''))
  %d _
  call setreg('"', '')
  call setline(1, split(case[0], "\n", 1))
  let left = case[1]
  let row = 1
  while left > len(getline(row)) && row < line('$')
    let left -= len(getline(row)) + 1
    let row += 1
  endwhile
  call cursor(row, left + 1)
  for keys in case[2]
    try
      execute "normal! " . keys . "\<Esc>"
    catch
    endtry
  endfor
  call add(made, [join(getline(1, '$'), "\n"), line('.'), col('.')])
endfor
call writefile([json_encode(made)], $MADE)
qa!
"""
Case = tuple[str, int, Sequence[str]]


def by_vim(cases: Sequence[Case], folder: Path) -> list[tuple[str, int]]:
    """Return the text and the cursor after each case."""
    script, given, made = folder / "run.vim", folder / "cases.json", folder / "made.json"
    script.write_text(_SCRIPT)
    given.write_text(json.dumps(cases))
    subprocess.run(
        ["vim", "-u", "NONE", "-es", "-S", str(script)],
        env={"CASES": str(given), "MADE": str(made), "HOME": str(folder), "PATH": "/usr/bin:/bin"},
        timeout=60,
        check=True,
    )
    found = []
    for text, row, column in json.loads(made.read_text()):
        before = text.split("\n")[: row - 1]
        found.append((text, sum(len(line) + 1 for line in before) + column - 1))
    return found
