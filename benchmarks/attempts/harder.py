# ruff: noqa: NPY002 - a compiled loop draws from the legacy generator, which Numba seeds by thread
"""Randomised solvers of problems that are often hopeless or very hard, as in `benchmarks.attempts.solvers`."""

from __future__ import annotations

import numpy as np
from numba import njit

from benchmarks.attempts.solvers import _add


@njit(cache=True)
def parity(equations, right, n, budgets, n_attempts, seed):
    """Random walk on three-variable equations modulo 2; a step flips a variable of a violated equation."""
    np.random.seed(seed)
    m = equations.shape[0]
    counts = np.zeros(budgets.size, np.int64)
    value, bad = np.empty(n, np.int64), np.empty(m, np.int64)
    for _ in range(n_attempts):
        for v in range(n):
            value[v] = np.random.randint(2)
        for step in range(budgets[-1] + 1):
            n_bad = 0
            for j in range(m):
                a, b, c = equations[j]
                if (value[a] + value[b] + value[c]) % 2 != right[j]:
                    bad[n_bad] = j
                    n_bad += 1
            if n_bad == 0:
                _add(counts, budgets, step)
                break
            value[equations[bad[np.random.randint(n_bad)], np.random.randint(3)]] ^= 1
    return counts


@njit(cache=True)
def latin(filled, budgets, n_attempts, seed):
    """Complete a Latin square from a row-by-row random order of symbols; a step undoes the last cell."""
    np.random.seed(seed)
    n = filled.shape[0]
    counts = np.zeros(budgets.size, np.int64)
    given_row, given_col = np.zeros(n, np.int64), np.zeros(n, np.int64)
    cells = np.empty(n * n, np.int64)
    size = 0
    for i in range(n):
        for j in range(n):
            if filled[i, j] >= 0:
                given_row[i] |= 1 << filled[i, j]
                given_col[j] |= 1 << filled[i, j]
            else:
                cells[size] = i * n + j
                size += 1
    row, col = given_row.copy(), given_col.copy()
    placed, left = np.empty(size, np.int64), np.empty(size + 1, np.int64)
    full = (1 << n) - 1
    for _ in range(n_attempts):
        row[:], col[:] = given_row, given_col
        np.random.shuffle(cells[:size])
        at, undone = 0, 0
        if size > 0:
            left[0] = full & ~(row[cells[0] // n] | col[cells[0] % n])
        while 0 <= at < size and undone <= budgets[-1]:
            i, j = cells[at] // n, cells[at] % n
            number = 0
            for s in range(n):
                if left[at] >> s & 1:
                    number += 1
                    if np.random.random() * number < 1:
                        placed[at] = s
            if number == 0:
                undone += 1
                at -= 1
                if at >= 0:
                    row[cells[at] // n] ^= 1 << placed[at]
                    col[cells[at] % n] ^= 1 << placed[at]
                continue
            left[at] &= ~(1 << placed[at])
            row[i] |= 1 << placed[at]
            col[j] |= 1 << placed[at]
            at += 1
            if at < size:
                left[at] = full & ~(row[cells[at] // n] | col[cells[at] % n])
        if at == size:
            _add(counts, budgets, undone)
    return counts


@njit(cache=True)
def partition(numbers, budgets, n_attempts, seed):
    """Split numbers into two sets at random and move one at a time while that helps; the budget is a difference."""
    np.random.seed(seed)
    n = numbers.size
    counts = np.zeros(budgets.size, np.int64)
    sign = np.empty(n, np.int64)
    for _ in range(n_attempts):
        total = 0
        for i in range(n):
            sign[i] = 2 * np.random.randint(2) - 1
            total += sign[i] * numbers[i]
        while True:
            best, least = -1, abs(total)
            for i in range(n):
                after = abs(total - 2 * sign[i] * numbers[i])
                if after < least:
                    best, least = i, after
            if best < 0:
                break
            total -= 2 * sign[best] * numbers[best]
            sign[best] = -sign[best]
        _add(counts, budgets, abs(total))
    return counts


@njit(cache=True)
def maze(wall, start, goal, budgets, n_attempts, seed):
    """Random walk on a grid with walls, which turns back only in a dead end."""
    np.random.seed(seed)
    side = wall.shape[0]
    counts = np.zeros(budgets.size, np.int64)
    ways = np.empty(4, np.int64)
    for _ in range(n_attempts):
        at, last = start, -1
        for step in range(1, budgets[-1] + 1):
            r, c = at // side, at % side
            number = 0
            for way in range(4):
                nr, nc = r + (way == 0) - (way == 1), c + (way == 2) - (way == 3)
                if 0 <= nr < side and 0 <= nc < side and not wall[nr, nc] and nr * side + nc != last:
                    ways[number] = nr * side + nc
                    number += 1
            if number == 0 and last < 0:
                break
            new = ways[np.random.randint(number)] if number else last
            last, at = at, new
            if at == goal:
                _add(counts, budgets, step)
                break
    return counts


# Values are whole numbers modulo this
_MODULUS = 256
# Symbols of a program, and those among them that attempts may use
N_SYMBOLS, N_TRIED = 10, 8


@njit(cache=True)
def run_program(program, length, x):
    """Value of a postfix program at x, or -1 if it leaves not exactly one value.

    Symbols: x, 1, 2, +, -, *, larger, smaller, exclusive or, quotient.
    """
    stack = np.empty(length + 1, np.int64)
    size = 0
    for i in range(length):
        symbol = program[i]
        if symbol < 3:
            stack[size] = x if symbol == 0 else symbol
            size += 1
            continue
        if size < 2:
            return -1
        a, b = stack[size - 2], stack[size - 1]
        size -= 1
        if symbol == 3:
            value = a + b
        elif symbol == 4:
            value = a - b
        elif symbol == 5:
            value = a * b
        elif symbol == 6:
            value = max(a, b)
        elif symbol == 7:
            value = min(a, b)
        elif symbol == 8:
            value = a ^ b
        else:
            value = a // max(b, 1)
        stack[size - 1] = value % _MODULUS
    return stack[0] if size == 1 else -1


@njit(cache=True)
def random_program(program, most, n_symbols):
    """Fill a random postfix program of at most so many symbols, and return its length."""
    size, length = 0, 0
    while True:
        if size == 1 and (length + 2 > most or np.random.random() < 0.1):
            return length
        if size >= 2 and (np.random.random() < 0.5 or length + size > most):
            program[length] = np.random.randint(3, n_symbols)
            size -= 1
        else:
            program[length] = np.random.randint(3)
            size += 1
        length += 1


@njit(cache=True)
def target(program, most, inputs, seed):
    """Outputs of a random program of all symbols."""
    np.random.seed(seed)
    length = random_program(program, most, N_SYMBOLS)
    return np.array([run_program(program, length, x) for x in inputs])


@njit(cache=True)
def programs(inputs, outputs, budgets, n_attempts, seed):
    """Random programs of eight of the ten symbols, which succeed if they give all outputs; the budget is a length."""
    np.random.seed(seed)
    counts = np.zeros(budgets.size, np.int64)
    most = int(budgets[-1])
    program = np.empty(2 * most + 2, np.int64)
    for _ in range(n_attempts):
        length = random_program(program, most, N_TRIED)
        for i in range(inputs.size):
            if run_program(program, length, inputs[i]) != outputs[i]:
                break
        else:
            _add(counts, budgets, length)
    return counts
