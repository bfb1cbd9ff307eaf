"""Inner products that are compared with the truth's where they are made, in registers: no score goes to memory.

Sixteen numbers at a time: left to itself the compiler takes half the width that a processor with 512-bit registers has,
and goes back to memory between one feature and the next. A processor with narrower registers does each operation in two
or four pieces. Only compiled code profits, so there are no twins: import this module where `numba_for` finds numba.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model
from numpy.typing import NDArray

from classex._loops import njit

__all__ = ["TILE", "count_tiles", "pack_tiles", "recount_tiles"]

#: numbers in a vector
LANES = 16


class _Vector(types.Type):  # type: ignore[misc]
    """Numba's type of a vector of scalars."""

    def __init__(self, scalar: Any) -> None:
        self.scalar = scalar
        super().__init__(name=f"Vector({scalar})")


@register_model(_Vector)
class _VectorModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        scalar = manager.lookup(kind.scalar).get_value_type()
        super().__init__(manager, kind, ir.VectorType(scalar, LANES))


def _everywhere(builder: Any, scalar: Any, vector: Any) -> Any:
    """Return the scalar in every lane."""
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of ``array[index]``, the first two arguments."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


def _vector_address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    vector = context.get_value_type(_Vector(signature.args[0].dtype))
    return builder.bitcast(_address(context, builder, signature, arguments), vector.as_pointer())


@intrinsic
def load(_: Any, array: Any, _index: Any) -> Any:
    """``array[index : index + LANES]`` of a flat array, whose end must lie beyond."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _vector_address(context, builder, signature, arguments)
        return builder.load(address, align=signature.args[0].dtype.bitwidth // 8)

    return _Vector(array.dtype)(array, types.intp), emit


@intrinsic
def store(_: Any, array: Any, _index: Any, vector: Any) -> Any:
    """Set ``array[index : index + LANES]`` of a flat array, whose end must lie beyond."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        address = _vector_address(context, builder, signature, arguments)
        builder.store(arguments[2], address, align=signature.args[0].dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), emit


@intrinsic
def zeros(_: Any) -> Any:
    """Counts of nothing, in 32-bit integers."""
    kind = _Vector(types.int32)

    def emit(context: Any, _builder: Any, _signature: Any, _arguments: Any) -> Any:
        return ir.Constant(context.get_value_type(kind), None)

    return kind(), emit


@intrinsic
def add_product(_: Any, vector: Any, array: Any, _index: Any, factor: Any) -> Any:
    """``vector + array[index] * factor``, rounded once where the processor can; the index is not checked."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        scalar = builder.load(_address(context, builder, signature.replace(args=signature.args[1:]), arguments[1:]))
        all_lanes = _everywhere(builder, scalar, context.get_value_type(vector))
        product = builder.fmul(all_lanes, arguments[3], flags=("contract",))
        return builder.fadd(arguments[0], product, flags=("contract",))

    return vector(vector, array, types.intp, factor), emit


def _counter(operator: str) -> Any:
    @intrinsic
    def count(_: Any, counts: Any, vector: Any, limit: Any) -> Any:
        """Counts, one more in each lane where the vector's number is below (or up to) the limit."""

        def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            limits = _everywhere(builder, arguments[2], context.get_value_type(vector))
            met = builder.fcmp_ordered(operator, arguments[1], limits)
            return builder.add(arguments[0], builder.zext(met, context.get_value_type(counts)))

        return counts(counts, vector, limit), emit

    return count


count_below, count_up_to = _counter("<"), _counter("<=")


@intrinsic
def total(_: Any, counts: Any) -> Any:
    """Sum over the lanes of counts."""

    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        vector = context.get_value_type(counts)
        kind = ir.FunctionType(vector.element, [vector])
        add = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.add.v{LANES}i32")
        return builder.call(add, [arguments[0]])

    return counts.scalar(counts), emit


#: classes side by side: two vectors
TILE = 2 * LANES


@njit()
def pack_tiles(
    references: NDArray[np.float32],
    offset: NDArray[np.float32],
    n_groups: int,
    packed: NDArray[np.float32],
    start: NDArray[np.float32],
) -> None:
    """Fill `packed`, of shape (n_tiles, n_rounds, n_features, TILE), and `start`, without the features.

    Reference ``round * n_groups + group`` goes to lane ``group % TILE`` of tile ``group // TILE``, and `start` holds
    minus its offset. Lanes without a reference start at infinity: the truth never beats them.
    """
    packed[:] = 0
    start[:] = np.inf
    for reference in range(references.shape[0]):
        group = reference % n_groups
        there = packed[group // TILE, reference // n_groups]
        for feature in range(references.shape[1]):
            there[feature, group % TILE] = references[reference, feature]
        start[group // TILE, reference // n_groups, group % TILE] = -offset[reference]


@njit()
def count_tiles(
    points: NDArray[np.float32],
    packed: NDArray[np.float32],
    start: NDArray[np.float32],
    shape: tuple[int, int, int, int],
    low: NDArray[np.float32],
    high: NDArray[np.float32],
    below: NDArray[np.int32],
    between: NDArray[np.int32],
) -> None:
    """Count, for each point and lane of a tile, the references below the band; for each tile, those inside.

    All arrays are flat; the `shape` is (points, tiles, rounds, features). A score is the start plus the products of
    the features, added in this order. Four points times two vectors of references make eight sums, which keep the
    processor's multipliers busy; the last points may be the same one again.
    """
    n_points, n_tiles, n_rounds, d = shape
    for tile in range(n_tiles):
        for row in range(0, n_points, 4):
            i, j, k, m = row, min(row + 1, n_points - 1), min(row + 2, n_points - 1), min(row + 3, n_points - 1)
            low_i, low_j, low_k, low_m = low[i], low[j], low[k], low[m]
            high_i, high_j, high_k, high_m = high[i], high[j], high[k], high[m]
            below_i = below_j = below_k = below_m = zeros()
            right_i = right_j = right_k = right_m = zeros()
            up_to_i = up_to_j = up_to_k = up_to_m = zeros()
            for here in range(tile * n_rounds, (tile + 1) * n_rounds):
                a_i = a_j = a_k = a_m = load(start, here * TILE)
                b_i = b_j = b_k = b_m = load(start, here * TILE + LANES)
                for feature in range(d):
                    a = load(packed, (here * d + feature) * TILE)
                    b = load(packed, (here * d + feature) * TILE + LANES)
                    a_i = add_product(a_i, points, i * d + feature, a)
                    b_i = add_product(b_i, points, i * d + feature, b)
                    a_j = add_product(a_j, points, j * d + feature, a)
                    b_j = add_product(b_j, points, j * d + feature, b)
                    a_k = add_product(a_k, points, k * d + feature, a)
                    b_k = add_product(b_k, points, k * d + feature, b)
                    a_m = add_product(a_m, points, m * d + feature, a)
                    b_m = add_product(b_m, points, m * d + feature, b)
                below_i, right_i = count_below(below_i, a_i, low_i), count_below(right_i, b_i, low_i)
                below_j, right_j = count_below(below_j, a_j, low_j), count_below(right_j, b_j, low_j)
                below_k, right_k = count_below(below_k, a_k, low_k), count_below(right_k, b_k, low_k)
                below_m, right_m = count_below(below_m, a_m, low_m), count_below(right_m, b_m, low_m)
                up_to_i = count_up_to(count_up_to(up_to_i, a_i, high_i), b_i, high_i)
                up_to_j = count_up_to(count_up_to(up_to_j, a_j, high_j), b_j, high_j)
                up_to_k = count_up_to(count_up_to(up_to_k, a_k, high_k), b_k, high_k)
                up_to_m = count_up_to(count_up_to(up_to_m, a_m, high_m), b_m, high_m)
            _put(below, between, i * n_tiles + tile, below_i, right_i, up_to_i)
            _put(below, between, j * n_tiles + tile, below_j, right_j, up_to_j)
            _put(below, between, k * n_tiles + tile, below_k, right_k, up_to_k)
            _put(below, between, m * n_tiles + tile, below_m, right_m, up_to_m)


@njit(inline="always")
def _put(below, between, tile, left, right, up_to):  # type: ignore[no-untyped-def]
    store(below, tile * TILE, left)
    store(below, tile * TILE + LANES, right)
    between[tile] = total(up_to) - total(left) - total(right)


@njit()
def recount_tiles(
    points: NDArray[np.float32],
    packed: NDArray[np.float32],
    start: NDArray[np.float32],
    low: NDArray[np.float32],
    high: NDArray[np.float32],
    own: NDArray[np.int64],
    n_groups: int,
    below: NDArray[np.int32],
    between: NDArray[np.int32],
    listed: NDArray[np.int64],
) -> int:
    """Count the tiles with something between again, one reference after the other; return how many are between.

    The first of them go to `listed`, of shape (n, 2), as (row, reference): what is in doubt here need not be what was
    in doubt to `count_tiles`, which may round otherwise, so the counts of the tile are replaced. The truth, reference
    ``own[row]`` (negative where it is not among these), always is between, and is left out.
    """
    n_between = 0
    score = np.empty(TILE, dtype=np.float32)
    for row in range(points.shape[0]):
        own_group = own[row] % n_groups if own[row] >= 0 else -1
        for tile in range(packed.shape[0]):
            if between[row, tile] == np.int32(own_group // TILE == tile):
                continue
            here = below[row, tile * TILE : (tile + 1) * TILE]
            here[:] = 0
            for turn in range(packed.shape[1]):
                score[:] = start[tile, turn]
                for feature in range(packed.shape[2]):
                    number, there = points[row, feature], packed[tile, turn, feature]
                    for lane in range(TILE):
                        score[lane] += number * there[lane]
                for lane in range(TILE):
                    reference = turn * n_groups + tile * TILE + lane
                    here[lane] += np.int32(score[lane] < low[row])
                    if low[row] <= score[lane] <= high[row] and reference != own[row]:
                        if n_between < listed.shape[0]:
                            listed[n_between, 0] = row
                            listed[n_between, 1] = reference
                        n_between += 1
    return n_between
