"""Sixteen numbers at a time: operations on vectors that compiled loops keep in the processor's registers.

Left to itself the compiler takes half the width that a processor with 512-bit registers has, and goes back to memory
between one feature and the next. A processor with narrower registers does each operation in two or four pieces.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

__all__ = ["LANES", "add_product", "count_below", "count_up_to", "load", "store", "total", "zeros"]

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
