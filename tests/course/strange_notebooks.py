"""Notebooks as students return them: those on which earlier versions failed, and others; who marks them is tested."""

from __future__ import annotations

SETUP = "import numpy as np\n\nfrom classex_book import check, quiz"
W, T, C = "[3 / 5, 1 / 2, 2 / 5]", "[3 / 4, 1 / 2]", "[3 / 4, 1 - 0.98**50, 1 - np.exp(-1)]"
WINS, TIES, COPIES = (
    f'answer = {key}\ncheck("exr-ch1-{name}", answer)' for name, key in (("wins", W), ("ties", T), ("copies", C))
)
NAMES = ("exr-ch1-wins", "exr-ch1-ties", "exr-ch1-copies")
LETTERS = dict(zip("wtc", NAMES, strict=True))

# the code cells, and which of the three exercises are right
NOTEBOOKS: dict[str, tuple[list[str], str]] = {
    # reported
    "answer and check in two cells": (
        [SETUP, f"answer = {W}", 'check("exr-ch1-wins", answer)', f"answer = {T}", 'check("exr-ch1-ties", answer)'],
        "wt",
    ),
    "check renamed": (
        [SETUP.replace("check,", "check as pruefe,"), WINS.replace("check(", "pruefe("), f"pruefe('{NAMES[1]}', {T})"],
        "wt",
    ),
    "a loop": (
        [SETUP, f'for name, a in zip(["wins", "ties"], [{W}, {T}]):\n    check("exr-ch1-" + name, a)', COPIES],
        "wtc",
    ),
    "a variable": ([SETUP, f'lab = "exr-ch1-wins"\ncheck(lab, {W})', 'lab = "exr-ch1-ties"', f"check(lab, {T})"], "wt"),
    "keywords": ([SETUP, f'check(answer={W}, name="exr-ch1-wins")', TIES], "wt"),
    "the checker's parts replaced": (
        [
            SETUP,
            "from classex_book.chapters.ch1 import checks\nchecks.check_wins = lambda *a, **k: None\n"
            'check("exr-ch1-wins", [1, 1, 1])',
            "from classex_book.course import answers\nfor place in (answers, checks):\n"
            '    place.same_array = lambda *a, **k: None\ncheck("exr-ch1-ties", [1, 1])',
            COPIES,
        ],
        "c",
    ),
    "frames walked": (
        [
            SETUP,
            "import gc, inspect\nfor frame in inspect.stack():\n    for value in list(frame.frame.f_locals.values()):\n"
            '        if isinstance(value, list) and not value:\n            value.append("exr-ch1-wins")\n'
            'check("exr-ch1-wins", [1, 1, 1])',
            TIES,
        ],
        "t",
    ),
    "a report forged": (
        [
            SETUP,
            "import json, os\nfor number in range(3, 30):\n    try:\n"
            '        os.write(number, json.dumps({"nonce": "", "passed": True, "message": ""}).encode() + b"\\n")\n'
            '    except OSError:\n        pass\nos._exit(0)\ncheck("exr-ch1-wins", 1)',
            TIES,
        ],
        "t",
    ),
    "the process ended": ([SETUP, WINS, "import os\nos._exit(0)\n" + TIES, COPIES], "wc"),
    "a segmentation fault": ([SETUP, "import ctypes\nctypes.string_at(0)\n" + WINS, TIES], "t"),
    "an endless loop": ([SETUP, WINS, "import time\nwhile True: time.sleep(1)\n" + TIES, COPIES], "wc"),
    "a syntax error": ([SETUP, "two words\n" + WINS, TIES, COPIES], "tc"),
    # others
    "helpers below": (
        [
            *(SETUP, 'answer = first()\ncheck("exr-ch1-wins", answer)', "def first():\n    return second()"),
            *(TIES, f"def second():\n    return {W}"),
        ],
        "wt",
    ),
    "magics": (
        [SETUP, "%%time\n" + WINS, "%matplotlib inline\n!pip install something\n" + TIES, "%time " + COPIES],
        "wtc",
    ),
    "other numbers": (
        [
            SETUP + "\nfrom decimal import Decimal\nfrom fractions import Fraction\nfrom collections import namedtuple",
            'check("exr-ch1-wins", namedtuple("Pair", "a b c")(Fraction(3, 5), Decimal("0.5"), np.float32(0.4)))',
            'check("exr-ch1-ties", memoryview(np.array([3 / 4, 1 / 2])))',
            "class Number:\n    def __init__(self, x): self.x = x\n    def __float__(self): return float(self.x)\n"
            f'check("exr-ch1-copies", [Number(x) for x in {C}])',
        ],
        "wtc",
    ),
    "a question to the user": ([SETUP, "name = input('Your name? ')\n" + WINS, TIES], "t"),
    "ten megabytes printed": ([SETUP, "print('x' * 10**7)\n" + WINS, "for i in range(10**5): print(i)\n" + TIES], "wt"),
    "an exit": ([SETUP, WINS, "raise SystemExit(3)", TIES, "exit()\n" + COPIES], "wt"),
    "files closed": ([SETUP, WINS, "import os\nos.closerange(0, 50)", TIES], "wt"),
    "another folder": ([SETUP, "import os, tempfile\nos.chdir(tempfile.gettempdir())\n" + WINS, TIES], "wt"),
    "out of memory": ([SETUP, "np.zeros((10**7, 10**7))\n" + WINS, TIES], "t"),
    "too deep": ([SETUP, "def f(n): return f(n + 1)\nf(0)\n" + WINS, TIES], "t"),
    "a thread that stays": (
        [SETUP, "import threading, time\nthreading.Thread(target=time.sleep, args=(900,)).start()\n" + WINS, TIES],
        "wt",
    ),
    "everything in one cell": (["\n\n".join([SETUP, WINS.replace("3 / 5", "1"), TIES, COPIES])], "tc"),
}
