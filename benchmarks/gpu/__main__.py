"""Ranks counted on a GPU against the processor's, in one run.

``python -m benchmarks.gpu`` takes the first of torch, cupy and jax that is installed and sees a GPU, prints what it
measures and writes it to ``gpu.csv`` beside this file. Where there is no GPU it says so, and measures nothing.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import classex as cx
from benchmarks.speed.timing import Row, least_seconds

HERE = Path(__file__).parent
COMMAND = "python -m benchmarks.gpu"
#: test points, references and features; the processor counts the first two only
SIZES = ((10_000, 10_000, 10), (40_000, 40_000, 128), (200_000, 1_000_000, 512))
_MOST_ON_PROCESSOR = 2e9
#: columns of a block of the bare product
_COLUMNS = 4096


@dataclass(frozen=True)
class Gpu:
    """A library that sees a GPU: its name, the GPU's, how arrays get there, and how to wait for its work."""

    library: str
    name: str
    send: Callable[[np.ndarray], Any]
    wait: Callable[[Any], Any]


def _torch(torch: Any) -> Gpu | None:
    if not torch.cuda.is_available():
        return None
    # the default, said again: no shortened factors
    torch.set_float32_matmul_precision("highest")
    return Gpu(
        f"torch {torch.__version__}",
        torch.cuda.get_device_name(),
        lambda array: torch.asarray(array, device="cuda"),
        lambda _: torch.cuda.synchronize(),
    )


def _cupy(cupy: Any) -> Gpu | None:
    if cupy.cuda.runtime.getDeviceCount() == 0:
        return None
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    return Gpu(f"cupy {cupy.__version__}", name, cupy.asarray, lambda _: cupy.cuda.runtime.deviceSynchronize())


def _jax(jax: Any) -> Gpu | None:
    devices = [device for device in jax.devices() if device.platform == "gpu"]
    if not devices:
        return None
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    return Gpu(
        f"jax {jax.__version__}",
        devices[0].device_kind,
        lambda array: jax.device_put(array, devices[0]),
        lambda array: array.block_until_ready(),
    )


def find_gpu() -> Gpu | None:
    """Return the first library that sees a GPU."""
    for name, look in (("torch", _torch), ("cupy", _cupy), ("jax", _jax)):
        try:
            found = look(importlib.import_module(name))
        except Exception:  # not installed, or without the driver it was made for: each fails in its own way
            continue
        if found is not None:
            return found
    return None


def measure(gpu: Gpu, n: int, k: int, d: int, *, repeats: int = 3) -> list[Row]:
    """Seconds of the ranks of `n` points among `k` references in `d` dimensions, and of the product alone."""
    rng = np.random.default_rng(1)
    references = rng.standard_normal((k, d), dtype=np.float32)
    labels = np.arange(n) % k
    test = references[labels] + rng.standard_normal((n, d), dtype=np.float32)
    there = gpu.send(test), gpu.send(references)

    def count() -> cx.CorrectRanks:
        return cx.correct_ranks_from_embeddings(*there, labels)

    def multiply() -> None:
        for first in range(0, k, _COLUMNS):
            product = there[0][: min(n, 2048), :] @ there[1][first : min(k, first + _COLUMNS), :].mT
        gpu.wait(product)

    got = count()
    seconds, product = least_seconds(count, multiply, repeats=repeats)
    product *= n / min(n, 2048)
    case = f"{n:,} x {k:,}, {d} features"
    rows = [
        Row(f"{case}: correct_ranks_from_embeddings", seconds, "s"),
        Row(f"{case}: products alone, in blocks, from the first points", product, "s"),
        Row(f"{case}: throughput of the ranks", 2e-9 * n * k * d / seconds, "Gflop/s"),
        Row(f"{case}: share of the products' throughput", product / seconds),
    ]
    if n * k <= _MOST_ON_PROCESSOR:
        expected = cx.correct_ranks_from_embeddings(test, references, labels)
        (alone,) = least_seconds(lambda: cx.correct_ranks_from_embeddings(test, references, labels), repeats=repeats)
        differing = int((got.wins != expected.wins).sum() + (got.ties != expected.ties).sum())
        rows += [
            Row(f"{case}: the processor", alone, "s"),
            Row(f"{case}: speed against the processor", alone / seconds, "times"),
            Row(f"{case}: integers that differ", differing, "", "0"),
        ]
    return rows


def main(argv: list[str] | None = None) -> int:
    argparse.ArgumentParser(prog=COMMAND, description=__doc__).parse_args(argv)
    gpu = find_gpu()
    if gpu is None:
        print("no GPU that torch, cupy or jax can use: nothing is measured")
        return 0
    print(f"{gpu.name}, {gpu.library}")
    rows = [row for size in SIZES for row in measure(gpu, *size)]
    with (HERE / "gpu.csv").open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {COMMAND}: {gpu.name}, {gpu.library}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["quantity", "value", "unit", "required"])
        writer.writerows([row.quantity, f"{row.value:.6g}", row.unit, row.required] for row in rows)
    for row in rows:
        print(f"{row.quantity:80} {row.value:12.5g} {row.unit:8} {row.required}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
