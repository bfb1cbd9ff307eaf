# ruff: noqa: NPY002 - a compiled loop draws from the legacy generator, which Numba seeds by thread
"""Randomised solvers, restarted many times: each kernel counts the attempts that succeed within three budgets.

A kernel takes an instance, the budgets (numbers of steps, or losses that count as success) in ascending order, a number
of attempts and a seed. Attempts on one instance are independent, so the counts are all there is to know.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def _add(counts, budgets, used):
    """Count an attempt that needed so much in every budget that suffices."""
    for i in range(budgets.size):
        if used <= budgets[i]:
            counts[i] += 1


@njit(cache=True)
def _occurrences(clauses, n_vars):
    """Clauses of each variable, one after another, and where those of a variable start."""
    start = np.zeros(n_vars + 2, np.int64)
    for literal in clauses.ravel():
        start[abs(literal) + 1] += 1
    start = np.cumsum(start)
    where, filled = np.empty(clauses.size, np.int64), start.copy()
    for j in range(clauses.shape[0]):
        for i in range(3):
            v = abs(clauses[j, i])
            where[filled[v]] = j
            filled[v] += 1
    return start, where


@njit(cache=True)
def sat(clauses, n_vars, budgets, n_attempts, seed):
    """WalkSAT with noise 1/2 on clauses of three literals (signed, from 1); a step is a flip."""
    np.random.seed(seed)
    m = clauses.shape[0]
    start, where = _occurrences(clauses, n_vars)
    counts = np.zeros(budgets.size, np.int64)
    value, true = np.empty(n_vars + 1, np.bool_), np.empty(m, np.int64)
    unsat, place = np.empty(m, np.int64), np.empty(m, np.int64)
    for _ in range(n_attempts):
        for v in range(1, n_vars + 1):
            value[v] = np.random.random() < 0.5
        n_unsat = 0
        for j in range(m):
            true[j] = 0
            for i in range(3):
                true[j] += value[abs(clauses[j, i])] == (clauses[j, i] > 0)
            if true[j] == 0:
                unsat[n_unsat], place[j] = j, n_unsat
                n_unsat += 1
        step = 0
        while n_unsat > 0 and step < budgets[-1]:
            j = unsat[np.random.randint(n_unsat)]
            chosen = abs(clauses[j, np.random.randint(3)])
            if np.random.random() < 0.5:
                least = m + 1
                for i in range(3):
                    v, broken = abs(clauses[j, i]), 0
                    for at in range(start[v], start[v + 1]):
                        if true[where[at]] == 1:
                            for h in range(3):
                                literal = clauses[where[at], h]
                                if abs(literal) == v and value[v] == (literal > 0):
                                    broken += 1
                    if broken < least:
                        least, chosen = broken, v
            value[chosen] = not value[chosen]
            for at in range(start[chosen], start[chosen + 1]):
                other = where[at]
                before, true[other] = true[other], 0
                for h in range(3):
                    true[other] += value[abs(clauses[other, h])] == (clauses[other, h] > 0)
                if before > 0 and true[other] == 0:
                    unsat[n_unsat], place[other] = other, n_unsat
                    n_unsat += 1
                elif before == 0 and true[other] > 0:
                    n_unsat -= 1
                    last = unsat[n_unsat]
                    unsat[place[other]], place[last] = last, place[other]
            step += 1
        if n_unsat == 0:
            _add(counts, budgets, step)
    return counts


@njit(cache=True)
def colouring(edges, n, budgets, n_attempts, seed):
    """Min-conflicts with noise .1 for three colours; a step recolours one vertex in conflict."""
    np.random.seed(seed)
    near = np.zeros((n, n), np.int64)
    degree = np.zeros(n, np.int64)
    for a, b in edges:
        near[a, degree[a]], near[b, degree[b]] = b, a
        degree[a] += 1
        degree[b] += 1
    counts = np.zeros(budgets.size, np.int64)
    colour, bad = np.empty(n, np.int64), np.empty(n, np.int64)
    beside = np.empty((n, 3), np.int64)
    for _ in range(n_attempts):
        for v in range(n):
            colour[v] = np.random.randint(3)
        beside[:] = 0
        for v in range(n):
            for at in range(degree[v]):
                beside[v, colour[near[v, at]]] += 1
        for step in range(budgets[-1] + 1):
            n_bad = 0
            for v in range(n):
                if beside[v, colour[v]] > 0:
                    bad[n_bad] = v
                    n_bad += 1
            if n_bad == 0:
                _add(counts, budgets, step)
                break
            v = bad[np.random.randint(n_bad)]
            old, new = colour[v], np.random.randint(3)
            if np.random.random() < 0.9:
                for shift in range(3):
                    other = (new + shift) % 3
                    if beside[v, other] < beside[v, new]:
                        new = other
            colour[v] = new
            for at in range(degree[v]):
                beside[near[v, at], old] -= 1
                beside[near[v, at], new] += 1
    return counts


@njit(cache=True)
def _two_opt(distance, tour):
    """Shorten a tour by reversals until none helps, and return its length."""
    n, better = tour.size, True
    while better:
        better = False
        for i in range(n - 1):
            for j in range(i + 2, n - (i == 0)):
                a, b, c, d = tour[i], tour[i + 1], tour[j], tour[(j + 1) % n]
                if distance[a, c] + distance[b, d] < distance[a, b] + distance[c, d] - 1e-12:
                    low, high = i + 1, j
                    while low < high:
                        tour[low], tour[high] = tour[high], tour[low]
                        low += 1
                        high -= 1
                    better = True
    length = 0.0
    for i in range(n):
        length += distance[tour[i], tour[(i + 1) % n]]
    return length


@njit(cache=True)
def shortest(distance, n_attempts, seed):
    """Shortest tour that two-opt finds from many random tours."""
    np.random.seed(seed)
    tour, best = np.arange(distance.shape[0]), np.inf
    for _ in range(n_attempts):
        np.random.shuffle(tour)
        best = min(best, _two_opt(distance, tour))
    return best


@njit(cache=True)
def tours(distance, budgets, n_attempts, seed):
    """Two-opt from random tours; the budget is a length."""
    np.random.seed(seed)
    tour, counts = np.arange(distance.shape[0]), np.zeros(budgets.size, np.int64)
    for _ in range(n_attempts):
        np.random.shuffle(tour)
        _add(counts, budgets, _two_opt(distance, tour))
    return counts


@njit(cache=True)
def queens(fixed, budgets, n_attempts, seed):
    """Min-conflicts for queens on a board where some rows are fixed (a column, or -1); a step moves one queen."""
    np.random.seed(seed)
    n = fixed.size
    free = np.flatnonzero(fixed < 0)
    counts = np.zeros(budgets.size, np.int64)
    at, bad = fixed.copy(), np.empty(n, np.int64)
    column, up, down = np.zeros(n, np.int64), np.zeros(2 * n, np.int64), np.zeros(2 * n, np.int64)
    for _ in range(n_attempts):
        column[:], up[:], down[:] = 0, 0, 0
        for row in range(n):
            if fixed[row] < 0:
                at[row] = np.random.randint(n)
            column[at[row]] += 1
            up[row + at[row]] += 1
            down[row - at[row] + n] += 1
        for step in range(budgets[-1] + 1):
            n_bad, conflict = 0, False
            for row in range(n):
                c = at[row]
                if column[c] + up[row + c] + down[row - c + n] > 3:
                    conflict = True
                    if fixed[row] < 0:
                        bad[n_bad] = row
                        n_bad += 1
            if not conflict:
                _add(counts, budgets, step)
                break
            row = bad[np.random.randint(n_bad)] if n_bad else free[np.random.randint(free.size)]
            c = at[row]
            column[c] -= 1
            up[row + c] -= 1
            down[row - c + n] -= 1
            least, ties, new = 4 * n, 0, c
            for other in range(n):
                cost = column[other] + up[row + other] + down[row - other + n]
                ties = ties + 1 if cost == least else 1 if cost < least else ties
                if cost < least or (cost == least and np.random.random() * ties < 1):
                    least, new = cost, other
            at[row] = new
            column[new] += 1
            up[row + new] += 1
            down[row - new + n] += 1
    return counts


@njit(cache=True)
def puzzle(board, budgets, n_attempts, seed):
    """Random moves in the eight-puzzle, none taken back at once, until the tiles are in order."""
    np.random.seed(seed)
    counts = np.zeros(budgets.size, np.int64)
    tiles = np.empty(9, np.int64)
    for _ in range(n_attempts):
        tiles[:] = board
        hole, wrong, last = 0, 0, -1
        for i in range(9):
            hole = i if tiles[i] == 0 else hole
            wrong += tiles[i] != i
        for step in range(budgets[-1] + 1):
            if wrong == 0:
                _add(counts, budgets, step)
                break
            row, col = hole // 3, hole % 3
            while True:
                way = np.random.randint(4)
                r, c = row + (way == 0) - (way == 1), col + (way == 2) - (way == 3)
                if 0 <= r < 3 and 0 <= c < 3 and 3 * r + c != last:
                    break
            new = 3 * r + c
            wrong -= (tiles[new] != new) + (tiles[hole] != hole)
            tiles[hole], tiles[new] = tiles[new], 0
            wrong += (tiles[new] != new) + (tiles[hole] != hole)
            last, hole = hole, new
    return counts


@njit(cache=True)
def cliques(near, budgets, n_attempts, seed):
    """Add random common neighbours until there are none; the budget is minus the size of the clique."""
    np.random.seed(seed)
    n = near.shape[0]
    counts, left = np.zeros(budgets.size, np.int64), np.empty(n, np.int64)
    for _ in range(n_attempts):
        number, size = n, 0
        for v in range(n):
            left[v] = v
        while number > 0:
            v = left[np.random.randint(number)]
            size += 1
            kept = 0
            for i in range(number):
                if near[v, left[i]]:
                    left[kept] = left[i]
                    kept += 1
            number = kept
        _add(counts, budgets, -size)
    return counts


@njit(cache=True)
def fuzz(program, size, depth, moves, budgets, n_attempts, seed):
    """Random bytes, one after another, into a small program with a fault; the budget is a number of bytes.

    0: brackets nested deeper than the stack. 1: a queue in a ring that overflows. 2: a protocol with states, which
    unknown messages reset. 3: a password check that leaks no progress. 4: a hash table with one bucket too full.
    5: a run-length decoder that writes beyond its buffer. 6: a stack machine that divides by a computed zero.
    """
    np.random.seed(seed)
    counts = np.zeros(budgets.size, np.int64)
    memory = np.zeros(256, np.int64)
    for _ in range(n_attempts):
        memory[:] = 0
        state = 0
        other = 0
        for step in range(1, budgets[-1] + 1):
            byte, crash = np.random.randint(256), False
            if program == 0:
                kind = byte % size
                state = state + 1 if kind == 0 else max(state - 1, 0) if kind == 1 else state
                crash = state >= depth
            elif program == 1:
                state = min(max(state + (1 if byte % (size + 2) <= size // 2 else -1), 0), depth)
                crash = state == depth
            elif program == 2:
                state = moves[state, byte % moves.shape[1]]
                crash = state == moves.shape[0] - 1
            elif program == 3:
                state = state + 1 if byte % size == (7 * state + 3) % size else 1 if byte % size == 3 % size else 0
                crash = state >= depth
            elif program == 4:
                bucket = byte % (4 * size)
                memory[bucket] += 1
                crash = memory[bucket] >= depth
            elif program == 5:
                state += (byte % size) if byte >= 128 else 1
                other = other + 1 if byte % 16 == 0 else other
                crash = state > depth * size and other >= 1
            else:
                kind = byte % (size + 3)
                if kind < 2:
                    memory[state] = byte // 16
                    state = min(state + 1, 200)
                elif kind == 2 and state >= 2:
                    memory[state - 2] -= memory[state - 1]
                    state -= 1
                elif kind == 3 and state >= depth:
                    crash = memory[state - 1] == 0 and memory[state - 2] == byte // 32
                elif kind > 3:
                    state = max(state - 1, 0)
            if crash:
                _add(counts, budgets, step)
                break
    return counts
