"""The page *First use*: its commands and visible code run where only the library and Matplotlib are installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "book" / "first_use.md").read_text(encoding="utf-8")
# as after `pip install "classex[plot]"`: no course, no frames, no scikit-learn
ALONE = """\
import importlib.metadata, sys
importlib.metadata.entry_points = lambda **_: ()
sys.modules.update(dict.fromkeys(("classex_book", "pandas", "sklearn", "IPython", "h5py")))
"""


def run(folder: Path, code: str) -> str:
    environment = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run(
        [sys.executable, "-c", ALONE + code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_commands_and_the_visible_code_run_with_the_library_alone(tmp_path):
    commands = re.findall(r"^\$ (.+)$", PAGE, re.MULTILINE)
    assert commands[0] == 'pip install "classex[plot]"'
    for command in commands[1:]:
        name, *words = command.split()
        assert name == "classex"
        printed = run(tmp_path, f"from classex.cli import main\nsys.exit(main({words!r}))")
    assert (tmp_path / "curve.png").stat().st_size > 5_000
    cells = re.findall(r"^```\{code-cell\} ipython3\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    visible = [cell for cell in cells if not re.search("remove-(cell|input)", cell)]
    assert len(visible) == 3
    code = "\n".join(cell.replace(":tags: [remove-output]", "") for cell in visible)
    assert run(tmp_path, code).startswith(printed)
    # and on the files that the command wrote, as a reader would
    on_files = re.sub(r'cx\.io\.example_file\(("[\w.-]+")\)', r"\1", code)
    assert run(tmp_path, on_files).startswith(printed)


def test_the_page_shows_the_head_of_the_file(tmp_path):
    run(tmp_path, "from classex.cli import main\nsys.exit(main(['example']))")
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    lines = (tmp_path / "syllables.csv").read_text(encoding="utf-8").splitlines()
    for line, stored in zip(shown.splitlines(), lines, strict=False):
        assert stored.startswith(line.removesuffix("..."))
