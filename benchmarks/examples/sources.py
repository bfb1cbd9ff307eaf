"""Features of the classes with several examples each: ``python -m benchmarks.examples.sources`` writes ``DOMAIN.npz``.

It needs espeak-ng 1.51 and the package babel. Both arrays of a file, ``stored`` and ``test``, have the shape
(n_classes, n_examples, n_features) and 8 bits; classes are in random order.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.suite.recipes import names, spoken

SOURCES = {"voices": spoken.SOURCES, "names": names.SOURCES}
FOLDER = Path(__file__).parent
# English of six regions, with the voices of men (m) and women (f); the last two speak the test points
VOICES = (
    *("en-us+m1", "en-gb+f2", "en-gb-scotland+m3", "en-029+f4", "en-gb-x-rp+m5", "en-us+f5", "en-gb-x-gbclan+m7"),
    *("en-gb-x-gbcwmd+f1", "en-us-nyc+m2", "en-029+m6", "en-gb+m4", "en-gb-scotland+f3", "en-gb-x-rp+f3", "en-us+m8"),
)
N_WORDS, N_NAMES, N_STORED_NAMES, N_TEST, N_FEATURES = 600, 600, 16, 2, 64
SEED = 20261126


def voices() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mel spectra of words, less the mean of the voice."""
    words = sorted({text.split()[0].strip(",;:.").lower() for text in spoken.load_words().references})
    words = [word for word in words if word.isascii() and word.isalpha() and len(word) > 3]
    chosen = np.random.default_rng(SEED).choice(words, int(1.05 * N_WORDS), replace=False).tolist()
    sound = np.stack([[spoken._spectrum(word, voice) for voice in VOICES] for word in chosen])
    first = np.sort(np.unique(sound[:, 0].round(4), axis=0, return_index=True)[1])[:N_WORDS]  # no homophones
    sound = sound[first] - sound[first].mean(axis=0)
    return sound[:, :-N_TEST], sound[:, -N_TEST:]


def things() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Names of things in other languages: hashed counts of strings of one to three letters, projected at random."""
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.random_projection import GaussianRandomProjection

    each = N_TEST + N_STORED_NAMES
    texts = [name for others in list(names.names().values())[:N_NAMES] for name in others[:each]]
    hashing = HashingVectorizer(analyzer="char_wb", ngram_range=(1, 3), n_features=2**14, alternate_sign=False)
    counts = hashing.transform(texts).sqrt()
    vectors = (
        GaussianRandomProjection(N_FEATURES, random_state=SEED).fit_transform(counts).reshape(-1, each, N_FEATURES)
    )
    vectors -= vectors.mean(axis=(0, 1))
    return vectors[:, N_TEST:], vectors[:, :N_TEST]


def main() -> None:
    """Write both files."""
    for domain, make in (("names", things), ("voices", voices)):
        parts = make()
        unit = [part / np.linalg.norm(part, axis=2, keepdims=True) for part in parts]
        scale = 127 / max(np.abs(part).max() for part in unit)
        stored, test = (np.rint(part * scale).astype(np.int8) for part in unit)
        np.savez_compressed(FOLDER / f"{domain}.npz", stored=stored, test=test)
        print(domain, stored.shape, test.shape)


if __name__ == "__main__":
    main()
