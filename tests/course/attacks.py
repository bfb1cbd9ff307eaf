"""Code by which a student might gain marks, see what is not theirs, or spoil the marks of others.

In every notebook `exr-ch1-ties` is answered right and `exr-ch1-wins` wrong; an attack stands before the wrong answer
in its cell.
"""

from __future__ import annotations

TIES = 'check("exr-ch1-ties", [3 / 4, 1 / 2])'
WINS = 'check("exr-ch1-wins", [1, 1, 1])'
FORGED = '{"check": "exr-ch1-wins", "variant": None, "cell": 0, "passed": True, "problem": "", "share": 1.0}'

# reported in earlier versions, then others
ATTACKS = {
    "a verdict reported": f"{WINS}\ncheck.__self__._send(**{FORGED})",
    "a verdict reported by its old name": 'check.__self__._report(check="exr-ch1-wins", variant=None, problem="")',
    "the judge replaced": 'check.__self__._judge = lambda *a, **k: None\ncheck("exr-ch1-wins", print)',
    "answers searched": "from itertools import product\nfor n in product(range(4, 7), repeat=3):\n"
    '    check("exr-ch1-wins", [m / 10 for m in n])\n',
    "the key by the globals of check": 'check.__func__.__globals__["exercises"].judge',
    "the key by the command line": "import os\nparent = os.getppid()\nline = open(f'/proc/{parent}/cmdline').read()\n"
    "raise ValueError(line)",
    "secrets of the environment": "import os\nraise ValueError(os.environ.get('TOKEN', 'none'))",
    "secrets of the environment of a parent": "import os\nfor step in (os.getppid(), 1):\n"
    "    raise ValueError(open(f'/proc/{step}/environ').read()[-500:])",
    "secrets of a file above": "raise ValueError(open('../../secret.txt').read())",
    "secrets of a file by its path": "import os\nraise ValueError(open('{secret}').read())",
    "a victim's notebook removed": "import glob, os\nfor file in glob.glob('../zoe/*') + glob.glob('{zoe}'):\n"
    "    os.remove(file)",
    "a victim's notebook executed": "import json\nbook = json.load(open('{zoe}'))\nfor cell in book['cells']:\n"
    "    exec(''.join(cell['source']))",
    "a process that stays": "import os, time\nif not os.fork():\n    os.setsid()\n    if not os.fork():\n"
    "        time.sleep(987654)\n    os._exit(0)",
    "the clock of a cell reset": "while True: check.__self__._send(start=1)",
    # others
    "frames": "import inspect\nfor one in inspect.stack():\n    for value in list(one.frame.f_locals.values()):\n"
    "        if isinstance(value, list): value.append('exr-ch1-wins')\n"
    "        if isinstance(value, dict) and 'check' not in value: value['exr-ch1-wins'] = True",
    "garbage collector": "import gc\nfound = [o for o in gc.get_objects() if isinstance(o, dict) and 'digits' in o]\n"
    "for one in found: one['digits'] = 1",
    "ctypes on a number": "import ctypes\nctypes.c_double.from_address(id(0.6) + 16).value = 1.0",
    "memory of the parent": "import os\nopen(f'/proc/{os.getppid()}/mem', 'r+b').write(b'x')",
    "at the end": "import atexit, os\natexit.register(lambda: [os.write(n, b'{}') for n in range(3, 20)])\nexit()",
    "import hooks": "import sys\nclass Hook:\n    def find_spec(self, name, *a):\n        raise ImportError(name)\n"
    "sys.meta_path.insert(0, Hook())\nsys.modules['json'].dumps = lambda *a, **k: '[0.6, 0.5, 0.4]'",
    "the checker imported": "from classex_book.chapters.ch1.checks import check_wins",
    "the checker imported anew": "import sys\nfor name in list(sys.modules):\n"
    "    if name.startswith('classex_book'): del sys.modules[name]\n"
    "from classex_book.course import answers\nanswers.same_array = lambda *a, **k: None\n"
    "from classex_book import check as true\ntrue('exr-ch1-wins', [1, 1, 1])",
    "records on every descriptor": "import json, os\nfor n in range(3, 40):\n    for record in ("
    f"{FORGED}, {{'done': True}}, {{'failed': 'x'}}, {{'check': 1}}, [], 'passed'):\n"
    "        try: os.write(n, json.dumps(record).encode() + b'\\n')\n        except OSError: pass",
    "no record at all": "import os\nfor n in range(3, 40):\n    try: os.write(n, b'\\xff{' * 1000)\n"
    "    except OSError: pass",
    "another clock": "import time\ntime.time = time.monotonic = time.perf_counter = lambda: 0.0\n"
    "time.clock_settime(time.CLOCK_REALTIME, 0)",
    "equal to everything": "class Liar(float):\n    def __eq__(self, o): return True\n"
    "    __lt__ = __eq__\n    __le__ = __gt__ = __ge__ = __eq__\n    def __sub__(self, o): return 0.0\n"
    "    __rsub__ = __sub__\n    def __repr__(self): return '0.6'\n    __hash__ = None\n"
    "check('exr-ch1-wins', [Liar(1)] * 3)",
    "an array that lies": "class Liar:\n    size = 3\n    def tolist(self): return self\n"
    "    def __array__(self): return [0.6]\n    def __float__(self): raise KeyboardInterrupt\n"
    "check('exr-ch1-wins', Liar())",
    "a generator without end": "import itertools\ncheck('exr-ch1-wins', (1.0 for _ in itertools.count()))",
    "two gigabytes": "import numpy\nanswer = numpy.zeros(2**28)\ncheck('exr-ch1-wins', answer)",
    "a list in itself": "answer = []\nanswer.append(answer)\ncheck('exr-ch1-wins', answer)",
    "a number of ten thousand digits": "check('exr-ch1-wins', [10**10_000, 1, 1])",
    "lists of lists": "answer = 1\nfor _ in range(900): answer = [answer]\ncheck('exr-ch1-wins', answer)",
    "memory": "held = []\nwhile True: held.append(bytearray(10**8))",
    "processes": "import os, time\nfor _ in range(120):\n    if not os.fork(): time.sleep(987654)\ntime.sleep(60)",
    "a large file": "with open('large', 'wb') as file:\n    for _ in range(300): file.write(bytes(10**6))",
    "many records": "while True: check('exr-ch1-wins', [0.5] * 10_000)",
    "the watcher ended": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)",
    "signals ignored": "import signal\nfor n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):\n"
    "    signal.signal(n, signal.SIG_IGN)\nwhile True: pass",
    "an answer with a command": "class Gift:\n    def __reduce__(self): return print, ('executed',)\n"
    "check('exr-ch1-wins', Gift())\ncheck('exr-ch1-every-subset', lambda *a: Gift())",
    "a secret as the name of a type": "import os\nraise type(open('{secret}').read(), (Exception,), {{}})()",
    "a secret as a name": "import os\nraise NameError('x', name=open('{secret}').read())",
    "a secret as an answer": "check('exr-ch1-wins', open('{secret}').read())",
    "escapes": "check('\\x1b[2Kexr-ch1-wins', '\\x1b[1A')\nraise ValueError('\x1b[1A\x1b[2K[1/1] all passed')",
    "numbers of a variant": "check('exr-ch1-wins', [1, 1, 1], variant=1)",
    "a cell that does not exist": "check.__self__._send(check='exr-ch1-wins', cell=10**9, variant=None,"
    " answer=[1, 1, 1])",
    "Python's files changed": "import os\nopen(os.__file__, 'r+')\n",
    "the network": "import socket\nsocket.create_connection(('127.0.0.1', {port}), 1).sendall(b'hello')",
}


def cells(name: str, **places: object) -> list[str]:
    """The code cells of an attacker's notebook; places are paths and a port that the code names."""
    attack = ATTACKS[name]
    named = any(f"{{{place}}}" in attack for place in places)
    return [TIES, "\n".join([attack.format(**places) if named else attack, WINS])]
