"""The explorer's scripts that compute, on an empty page, and any scripts of the book in Node.js."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "book" / "_static"
SCRIPTS = STATIC / "explorer"
# those that box.js loads, in its order
COMPUTE = re.search(r"const COMPUTE = \[(.*?)\]", (SCRIPTS / "box.js").read_text(encoding="utf-8"), re.DOTALL)
SCRIPT_NAMES = tuple(re.findall(r"\w+", COMPUTE[1])) if COMPUTE else ()


def with_scripts(browser: Any) -> Any:
    """An empty page with these scripts."""
    blank = browser.new_page()
    for name in SCRIPT_NAMES:
        blank.add_script_tag(path=SCRIPTS / f"{name}.js")
    return blank


class NodePage:
    """What an empty page with some scripts of the book can compute, in Node.js: for machines without a browser."""

    def __init__(self, scripts: Sequence[str] = tuple(f"explorer/{name}.js" for name in SCRIPT_NAMES)) -> None:
        names = json.dumps([str(STATIC / script) for script in scripts])
        self.start = (
            "globalThis.window = globalThis; const fs = require('fs');"
            f"for (const name of {names}) (0, eval)(fs.readFileSync(name, 'utf8'));"
            "const { code, argument } = JSON.parse(fs.readFileSync(0, 'utf8'));"
            "process.stdout.write(JSON.stringify((0, eval)(`(${code})`)(argument) ?? null));"
        )

    def evaluate(self, code: str, argument: Any = None) -> Any:
        """Call the function that the code is with the argument, as Playwright's pages do."""
        question = json.dumps({"code": code, "argument": argument})
        command = [shutil.which("node") or "node", "-e", self.start]
        done = subprocess.run(command, input=question, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr[-2000:])
        return json.loads(done.stdout)

    def close(self) -> None:
        """Nothing is open."""
