# ruff: noqa: B023 - each call is made before the loop goes on
import classex as cx


def refused_allocation():
    for arguments, message in [(([0, 1], 5, 0), "budget"), (([0, 6], 5, 10), r"not 6 of 5 \(entry 1\)")]:
        yield lambda: cx.attempts.next_attempts(*arguments), message


def refused_attempts():
    for arguments, message in [
        (([1], 2, 1), "successes must hold at least two problems"),
        (([1, 3], 2, 1), r"not 3 of 2 \(entry 1\)"),
        (([1, 2], [2, 2, 2], 1), "one entry for each point"),
        (([1, 0.5], 2, 1), "successes must be whole numbers"),
        (([0, 0], 0, 1), "from 0 to the trials, and trials from 1"),
        (([1, 2], 3, 0), "k must hold whole numbers of at least 1"),
        (([1, 2], 3, 1, True), "stopped at the first success where problem 1 has successes 2 and trials 3"),
        (([1, 2], [6, 8], 1, 3), "first batch of 3 with a success where problem 1 has successes 2 and trials 8"),
        (([1, 2], 3, 1, 0), "stopped must be"),
        (([1, 2], 3, 1, None, ["a"]), r"groups must have shape \(2,\), one entry per problem"),
        (([1, 2], 3, 1, None, ["a", "a"]), "groups must name at least 2 units"),
    ]:
        stopped, groups = (*arguments[3:], None, None)[:2]
        yield lambda: cx.pass_at_k(*arguments[:3], stopped=stopped, groups=groups), message


def refused_compared():
    for first, second, k, message in [
        (([1, 2], 5), ([1, 2], 3), 4, "k must be at most 3, the fewest trials of second, not 4"),
        (([1, 2], 5), ([1, 2, 3], 5), 1, "second must have the 2 problems of first, not 3"),
        (([1], 5), ([1], 5), 1, "first must hold at least two problems, not 1"),
        (([6, 1], 5), ([1, 1], 5), 1, "successes must be whole numbers from 0 to the trials"),
    ]:
        yield lambda: cx.attempts.pass_at_k_difference(first, second, k), message
