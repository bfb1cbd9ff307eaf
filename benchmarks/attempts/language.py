"""Attempts of small language models: ``python -m benchmarks.attempts.language`` writes the counts.

Thirteen families of problems with a checker, each with 120 problems of very different difficulty. A transformer with
two layers is trained on one family, from nothing, and kept after a short, a middle and a long training. An attempt is a
sample from the model at temperature 1, symbol by symbol. The chance of an answer is the product of the probabilities of
its symbols, so the chance of success is exact: the sum over the right answers. The counts of 100,000 attempts are
one binomial draw. Problems are drawn from fixed seeds and none is left out.
"""

from __future__ import annotations

import datetime
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import study

TARGET = Path(__file__).with_name("language_counts.csv")
COMMAND = "python -m benchmarks.attempts.language"
HEADER = "family,instance,short,middle,long"
N_PROBLEMS, N_ATTEMPTS = 120, 100_000
# Training steps at which a model is kept
STEPS = (100, 400, 1_600)
_BATCH, _WIDTH, _HEADS, _LAYERS, _RATE, _WARM = 64, 64, 4, 2, 2e-3, 50
SYMBOLS = "_>.0123456789abcdefghijklmnopqrst+-*:()[]{}IVXLCDM"
_PAD, _GO, _END = 0, 1, 2
LETTERS = np.array(list("abcdefghijklmnopqrst"))
Array = Any
Problem = tuple[str, list[str]]


# ---- the families: a prompt and all right answers
def _word(rng: np.random.Generator, least: int, most: int, n_letters: int) -> str:
    return "".join(rng.choice(LETTERS[:n_letters], rng.integers(least, most + 1)))


def _number(rng: np.random.Generator, most_digits: int) -> int:
    return int(rng.integers(10 ** rng.integers(1, most_digits + 1)))


def addition(rng: np.random.Generator) -> Problem:
    """Two numbers of up to six digits."""
    a, b = _number(rng, 6), _number(rng, 6)
    return f"{a}+{b}", [str(a + b)]


def multiplication(rng: np.random.Generator) -> Problem:
    """A number of up to four digits times one of up to three."""
    a, b = _number(rng, 4), _number(rng, 3)
    return f"{a}*{b}", [str(a * b)]


def sorting(rng: np.random.Generator) -> Problem:
    """Two to twelve letters in alphabetical order."""
    word = _word(rng, 2, 12, 20)
    return word, ["".join(sorted(word))]


def reversal(rng: np.random.Generator) -> Problem:
    """Two to fourteen letters in reverse order."""
    word = _word(rng, 2, 14, 20)
    return word, [word[::-1]]


def brackets(rng: np.random.Generator) -> Problem:
    """Close the open brackets of three types, after 1 to 24 symbols."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    while True:
        word, opened = "", []
        for _ in range(rng.integers(1, 25)):
            if opened and rng.random() < 0.4:
                word += pairs[opened.pop()]
            else:
                opened.append(str(rng.choice(list(pairs))))
                word += opened[-1]
        if opened:
            return word, ["".join(pairs[one] for one in reversed(opened))]


def roman(rng: np.random.Generator) -> Problem:
    """A number below 4,000 in Roman numerals."""
    number = 1 + int(rng.integers(10 ** rng.uniform(1, np.log10(3_999))))
    left, out = number, ""
    values = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
    names = ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I")
    for value, name in zip(values, names, strict=True):
        out += name * (left // value)
        left %= value
    return str(number), [out]


def bases(rng: np.random.Generator) -> Problem:
    """A number of up to four digits in base 2 to 9."""
    number, base = _number(rng, 4), int(rng.integers(2, 10))
    return f"{number}:{base}", [np.base_repr(number, base)]


def arithmetic(rng: np.random.Generator) -> Problem:
    """One to seven operations from left to right, modulo 10,000."""
    value = _number(rng, 2)
    text = str(value)
    for _ in range(rng.integers(1, 8)):
        sign, other = str(rng.choice(list("+-*"))), _number(rng, 2)
        value = {"+": value + other, "-": value - other, "*": value * other}[sign] % 10_000
        text += f"{sign}{other}"
    return text, [str(value)]


def calendar(rng: np.random.Generator) -> Problem:
    """The date some days after a date, in a year that is not a leap year."""
    first = datetime.date(2023, 1, 1) + datetime.timedelta(int(rng.integers(365)))
    days = int(10 ** rng.uniform(0, 3))
    last = datetime.date(2023, 1, 1) + datetime.timedelta((first.timetuple().tm_yday - 1 + days) % 365)
    return f"{first:%m-%d}+{days}", [f"{last:%m-%d}"]


@lru_cache
def _dictionary() -> tuple[list[str], dict[str, list[str]]]:
    rng = np.random.default_rng(2_000)
    words = []
    for _ in range(2_000):
        size = int(rng.integers(1, 5))
        words.append(
            "".join(str(rng.choice(list("bcdfghlmnprst"))) + str(rng.choice(list("aeio"))) for _ in range(size))
        )
    same = defaultdict(list)
    for word in sorted(set(words)):
        same["".join(sorted(word))].append(word)
    return words, same


def anagrams(rng: np.random.Generator) -> Problem:
    """A shuffled word of a made-up dictionary of 2,000; every word of the dictionary with these letters is right."""
    words, same = _dictionary()
    word = words[int(rng.integers(len(words)))]
    return "".join(rng.permutation(list(word))), same["".join(sorted(word))]


def factors(rng: np.random.Generator) -> Problem:
    """Any two factors of a product, the smaller first, neither of them 1."""
    number = (2 + _number(rng, 2)) * (2 + _number(rng, 3))
    return str(number), [f"{a}*{number // a}" for a in range(2, int(number**0.5) + 1) if number % a == 0]


def runs(rng: np.random.Generator) -> Problem:
    """Letters and their numbers, in a text of 1 to 8 runs of equal letters."""
    text = answer = last = ""
    for _ in range(rng.integers(1, 9)):
        last, length = str(rng.choice([one for one in LETTERS[:5] if one != last])), min(int(rng.geometric(0.4)), 5)
        text, answer = text + last * length, answer + f"{last}{length}"
    return text, [answer]


def cipher(rng: np.random.Generator) -> Problem:
    """Two to twelve letters, each moved on by the next digit of a key of one to three digits."""
    key, word = [int(one) for one in rng.integers(10, size=rng.integers(1, 4))], _word(rng, 2, 12, 20)
    moved = (LETTERS[(ord(one) - 97 + key[i % len(key)]) % 20] for i, one in enumerate(word))
    return "".join(map(str, key)) + ":" + word, ["".join(moved)]


FAMILIES: dict[str, Callable[[np.random.Generator], Problem]] = {
    one.__name__: one
    for one in (
        addition, multiplication, sorting, reversal, brackets, roman, bases, arithmetic, calendar, anagrams, factors,
        runs, cipher,
    )
}  # fmt: skip


# ---- the model
def encoded(pairs: list[tuple[str, str]]) -> tuple[Array, Array]:
    """Symbols of prompts and answers, and which of them belong to the answer, (n, length)."""
    texts = [f"{prompt}>{answer}." for prompt, answer in pairs]
    out = np.zeros((len(pairs), max(map(len, texts))), np.int64)
    for row, text in zip(out, texts, strict=True):
        row[: len(text)] = [SYMBOLS.index(one) for one in text]
    after = np.cumsum(out == _GO, axis=1) - (out == _GO)
    return out, (after > 0) & (out != _PAD)


def _normed(h: Array) -> tuple[Array, Array]:
    scale = 1 / np.sqrt(np.mean(h * h, axis=-1, keepdims=True) + 1e-5)
    return h * scale, scale


def _normed_back(g: Array, y: Array, scale: Array) -> Array:
    return scale * (g - y * np.mean(g * y, axis=-1, keepdims=True))


class Transformer:
    """A causal transformer of two layers, normed before each block, with its gradient by hand."""

    def __init__(self, rng: np.random.Generator, length: int = 64) -> None:
        d = _WIDTH
        shapes = {"symbol": (len(SYMBOLS), d), "place": (length, d), "out": (d, len(SYMBOLS))}
        for i in range(_LAYERS):
            shapes |= {f"qkv{i}": (d, 3 * d), f"back{i}": (d, d), f"up{i}": (d, 4 * d), f"down{i}": (4 * d, d)}
        scale = {"symbol": 0.1, "place": 0.1, "out": 0.02}
        self.weights = {
            name: (rng.standard_normal(shape) * scale.get(name, 0.5 / np.sqrt(shape[0]))).astype(np.float32)
            for name, shape in shapes.items()
        }
        self.moments = {name: (np.zeros_like(w), np.zeros_like(w)) for name, w in self.weights.items()}

    def forward(self, x: Array) -> tuple[Array, list[Array], Array]:
        """Log probabilities of the next symbols, and what the gradient needs."""
        w, (n, t) = self.weights, x.shape
        h = w["symbol"][x] + w["place"][:t]
        ahead = np.triu(np.full((t, t), -1e9, np.float32), 1)
        kept = []
        for i in range(_LAYERS):
            a, scale_a = _normed(h)
            q, k, v = (a @ w[f"qkv{i}"]).reshape(n, t, 3, _HEADS, -1).transpose(2, 0, 3, 1, 4)
            s = q @ k.swapaxes(-1, -2) / np.float32(np.sqrt(q.shape[-1])) + ahead
            s = np.exp(s - s.max(axis=-1, keepdims=True))
            s /= s.sum(axis=-1, keepdims=True)
            mixed = (s @ v).transpose(0, 2, 1, 3).reshape(n, t, -1)
            h = h + mixed @ w[f"back{i}"]
            b, scale_b = _normed(h)
            up = np.maximum(b @ w[f"up{i}"], 0)
            h = h + up @ w[f"down{i}"]
            kept.append((a, scale_a, q, k, v, s, mixed, b, scale_b, up))
        last = _normed(h)
        logit = last[0] @ w["out"]
        logit -= logit.max(axis=-1, keepdims=True)
        return logit - np.log(np.exp(logit).sum(axis=-1, keepdims=True)), kept, last

    def gradient(self, x: Array, of_answer: Array) -> tuple[float, dict[str, Array]]:
        """Mean loss of the symbols of the answers, and its gradient."""
        w, given = self.weights, x[:, :-1]
        log, kept, last = self.forward(given)
        (n, t), d = given.shape, _WIDTH
        weight = (of_answer[:, 1:] / of_answer.sum()).astype(np.float32)
        rows = np.arange(n)[:, np.newaxis], np.arange(t), x[:, 1:]
        loss = -float((log[rows] * weight).sum())
        g = np.exp(log) * weight[..., np.newaxis]
        g[rows] -= weight
        out = {"out": last[0].reshape(-1, d).T @ g.reshape(n * t, -1)}
        g = _normed_back(g @ w["out"].T, *last)
        for i in reversed(range(_LAYERS)):
            a, scale_a, q, k, v, s, mixed, b, scale_b, up = kept[i]
            out[f"down{i}"] = up.reshape(n * t, -1).T @ g.reshape(n * t, -1)
            inner = (g @ w[f"down{i}"].T) * (up > 0)
            out[f"up{i}"] = b.reshape(n * t, -1).T @ inner.reshape(n * t, -1)
            g = g + _normed_back(inner @ w[f"up{i}"].T, b, scale_b)
            out[f"back{i}"] = mixed.reshape(n * t, -1).T @ g.reshape(n * t, -1)
            inner = (g @ w[f"back{i}"].T).reshape(n, t, _HEADS, -1).transpose(0, 2, 1, 3)
            gs = inner @ v.swapaxes(-1, -2)
            gs = s * (gs - (gs * s).sum(axis=-1, keepdims=True)) / np.float32(np.sqrt(q.shape[-1]))
            three = np.stack([gs @ k, gs.swapaxes(-1, -2) @ q, s.swapaxes(-1, -2) @ inner])
            inner = three.transpose(1, 3, 0, 2, 4).reshape(n, t, 3 * d)
            out[f"qkv{i}"] = a.reshape(n * t, -1).T @ inner.reshape(n * t, -1)
            g = g + _normed_back(inner @ w[f"qkv{i}"].T, a, scale_a)
        out["place"] = np.zeros_like(w["place"])
        out["place"][:t] = g.sum(axis=0)
        out["symbol"] = np.zeros_like(w["symbol"])
        np.add.at(out["symbol"], given, g)
        return loss, out

    def step(self, number: int, x: Array, of_answer: Array) -> float:
        """One step of Adam (Kingma and Ba 2015)."""
        loss, gradient = self.gradient(x, of_answer)
        rate = _RATE * min(1.0, number / _WARM)
        for name, g in gradient.items():
            first, second = self.moments[name]
            first += 0.1 * (g - first)
            second += 0.02 * (g * g - second)
            ratio = first / (1 - 0.9**number) / (np.sqrt(second / (1 - 0.98**number)) + 1e-8)
            self.weights[name] -= np.float32(rate) * ratio
        return loss

    def log_chances(self, pairs: list[tuple[str, str]]) -> Array:
        """Logarithm of the probability that a sample after the prompt is the answer."""
        x, of_answer = encoded(pairs)
        log = self.forward(x[:, :-1])[0].astype(np.float64)
        each = np.take_along_axis(log, x[:, 1:, np.newaxis], axis=2)[..., 0]
        return (each * of_answer[:, 1:]).sum(axis=1)


# ---- the counts
def chances(family: str, steps: tuple[int, ...] = STEPS) -> Array:
    """Chances of success of every problem after each number of training steps, (n_problems, n_steps)."""
    order, make = list(FAMILIES).index(family), FAMILIES[family]
    problems = [make(np.random.default_rng([order, 1, number])) for number in range(N_PROBLEMS)]
    pairs = [(prompt, answer) for prompt, answers in problems for answer in answers]
    which = np.repeat(np.arange(N_PROBLEMS), [len(answers) for _, answers in problems])
    rng = np.random.default_rng([order, 0])
    model, out = Transformer(rng), []
    for number in range(1, steps[-1] + 1):
        drawn = [make(rng) for _ in range(_BATCH)]
        model.step(number, *encoded([(prompt, str(rng.choice(answers))) for prompt, answers in drawn]))
        if number in steps:
            out.append(np.bincount(which, np.exp(model.log_chances(pairs)), N_PROBLEMS))
    return np.clip(np.stack(out, axis=1), 0.0, 1.0)


def rows(family: str) -> list[list[Any]]:
    """Successes of 100,000 attempts at every problem."""
    rng = np.random.default_rng([list(FAMILIES).index(family), 2])
    return [[family, i, *map(int, rng.binomial(N_ATTEMPTS, p))] for i, p in enumerate(chances(family))]


def main(names: list[str]) -> int:
    """Train models of some families, or of all, and write the table."""
    for name in names or FAMILIES:
        begin = time.process_time()
        study.write(TARGET, COMMAND, HEADER, rows(name), 2)
        print(f"{name}: {time.process_time() - begin:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
