"""The worlds of the suite: recognisers, and their scores on any set of classes.

A marginal recogniser scores a class by that class's own data: its scores on a set of classes are columns of one large
matrix. A recogniser that is not marginal learns from the classes of the set and from no others; its twin, named
"fixed", has learnt once from all the classes and is marginal from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import classex as cx
from classex.datasets import CLASSIFIERS, embed_words, load_hangul, load_names, load_telugu, load_words

FloatArray = NDArray[np.float64]
Block = tuple[NDArray[Any], NDArray[np.int64]]
CACHE = Path(__file__).parent / "_cache"
FIXED = ", fixed"
SUBSET = ", own"
SEED = 20261121
LARGEST = 2_000  # of single sets of classes


@dataclass(frozen=True)
class World:
    """A data set: its recognisers (marginal or not), and the steps to be extrapolated."""

    name: str
    recognisers: Mapping[str, bool]
    steps: Mapping[int, tuple[int, ...]]
    n_classes: int
    n_repeats: int = 1

    def scores(self, recogniser: str, classes: NDArray[np.int64]) -> Block:
        """Scores of all test points of some classes for these classes, and their labels."""
        raise NotImplementedError

    def draw(self, recogniser: str, k1: int, draw: int) -> Block:
        """Scores on a random set of k1 classes; the same classes for every recogniser of the world."""
        return self.scores(recogniser, self.classes(k1, draw))

    def targets(self, recogniser: str) -> Mapping[int, tuple[int, ...]]:
        """Numbers of classes to predict, for every number of observed classes."""
        del recogniser  # most worlds ask the same of all
        return self.steps

    def known(self, recogniser: str, size: int) -> tuple[str, ...]:
        """Which accuracies can be looked up: averages, and single sets of classes where these are small.

        Of all the classes there is one set only, it holds the observed ones. No recogniser is trained for a single set.
        """
        if size == self.n_classes:
            return ("superset",)
        single = size <= LARGEST and self.recognisers[recogniser]
        return ("average", "fresh", "superset") if single else ("average",)

    def classes(self, k1: int, draw: int) -> NDArray[np.int64]:
        """Return a random set of classes, drawn anew for every size."""
        rng = np.random.default_rng([SEED, sum(map(ord, self.name)), k1, draw])
        return rng.choice(self.n_classes, k1, replace=False)


def cached(name: str, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    """Return an array from the cache, made if it is not there; memory-mapped."""
    path = CACHE / f"{name.replace(' ', '_').replace(',', '')}.npy"
    if not path.exists():
        CACHE.mkdir(exist_ok=True)
        temporary = path.with_suffix(f".{np.random.default_rng().integers(1 << 60)}.npy")
        np.save(temporary, make(), allow_pickle=False)
        temporary.replace(path)
    return np.load(path, mmap_mode="r", allow_pickle=False)


class Glyphs(World):
    """The first 400 Telugu glyphs; 50 principal components of the images of all of them, learnt once."""

    def __init__(self) -> None:
        trained = [name for name, classifier in CLASSIFIERS.items() if not classifier.marginal]
        recognisers = {name: classifier.marginal for name, classifier in CLASSIFIERS.items()}
        # counting neighbours among all points has no fixed twin: its score of a class is no column
        recognisers |= {name + FIXED: True for name in trained if name != "eps-nearest neighbours"}
        super().__init__("glyphs", recognisers, {20: (100, 400), 100: (400,)}, 400, n_repeats=50)

    @cached_property
    def features(self) -> tuple[FloatArray, NDArray[np.int64], FloatArray, NDArray[np.int64]]:
        """Training features and classes, test features and classes."""

        def make(part: int) -> Callable[[], FloatArray]:
            return lambda: np.asarray(cx.datasets.glyph_features(load_telugu(400), 400)[part], dtype=np.float64)

        train, test = (np.asarray(cached(f"glyphs_{part}", make(part))) for part in (0, 2))
        return train, np.repeat(np.arange(400), 50), test, np.repeat(np.arange(400), 50)

    def scores(self, recogniser: str, classes: NDArray[np.int64]) -> Block:
        """See `World.scores`."""
        rows = (np.asarray(classes)[:, np.newaxis] * 50 + np.arange(50)).ravel()
        labels = np.repeat(np.arange(len(classes)), 50)
        name = recogniser.removesuffix(FIXED)
        if self.recognisers[recogniser]:
            full = cached(f"glyphs_{name}_all", lambda: self._trained(name, np.arange(400)))
            return full[rows[:, np.newaxis], classes[np.newaxis, :]].astype(np.float64), labels
        tag = "all" if len(classes) == 400 else f"{len(classes)}_{int(np.abs(np.diff(classes)).sum())}_{classes[0]}"
        return cached(f"glyphs_{name}_{tag}", lambda: self._trained(name, classes)).astype(np.float64), labels

    def _trained(self, name: str, classes: NDArray[np.int64]) -> NDArray[np.float64]:
        from classex.datasets.scoring import _scores

        train, _, test, _ = self.features
        rows = (np.asarray(classes)[:, np.newaxis] * 50 + np.arange(50)).ravel()
        model = CLASSIFIERS[name].make().fit(train[rows], np.repeat(np.arange(len(classes)), 50))
        return np.asarray(_scores(model, test[rows]))


class Texts(World):
    """Word senses: cosines of character n-grams, their rarity learnt from all references or from those of the set."""

    def __init__(self) -> None:
        recognisers = {"TF-IDF": True, "SVD": True, "TF-IDF" + SUBSET: False, "SVD" + SUBSET: False}
        targets = (5_000, 10_000, 32_923)
        super().__init__("words", recognisers, {100: targets, 500: targets, 2_000: targets}, 32_923)

    def targets(self, recogniser: str) -> Mapping[int, tuple[int, ...]]:
        """See `World.targets`."""
        # what 100 classes teach of singular vectors is another recogniser altogether
        return {k1: K for k1, K in self.steps.items() if k1 > 100 or not recogniser.endswith(SUBSET)}

    @cached_property
    def counts(self) -> tuple[Any, Any]:
        """Counts of strings in the tests and the references."""
        from sklearn.feature_extraction.text import CountVectorizer

        words = load_words()
        vectorizer = CountVectorizer(analyzer="char_wb", ngram_range=(3, 5), dtype=np.float32)
        references = vectorizer.fit_transform(words.references)
        return vectorizer.transform(words.tests).tocsr(), references.tocsr()

    @cached_property
    def sparse(self) -> tuple[Any, Any]:
        """Tests and references by weighed strings."""
        return embed_words(load_words(), system="tfidf")

    @cached_property
    def dense(self) -> tuple[Any, Any]:
        """Tests and references on singular vectors."""

        def both() -> NDArray[np.float32]:
            return np.stack(embed_words(load_words(), system="svd")).astype(np.float32)

        stored = cached("words_svd", both)
        return stored[0], stored[1]

    def vectors(self, recogniser: str, classes: NDArray[np.int64]) -> tuple[Any, Any]:
        """Test and reference vectors of some classes; scores are their inner products."""
        if recogniser == "SVD":
            return tuple(np.asarray(part[classes], dtype=np.float64) for part in self.dense)  # type: ignore[return-value]
        if recogniser == "TF-IDF":
            return tuple(part[classes].astype(np.float64) for part in self.sparse)  # type: ignore[return-value]
        return self.learnt(recogniser, classes, classes)

    def scores(self, recogniser: str, classes: NDArray[np.int64]) -> Block:
        """See `World.scores`."""
        test, references = self.vectors(recogniser, classes)
        product = test @ references.T
        return np.asarray(product.toarray() if hasattr(product, "toarray") else product), np.arange(len(classes))

    def learnt(self, recogniser: str, classes: NDArray[np.int64], source: NDArray[np.int64]) -> tuple[Any, Any]:
        """Test and reference vectors of some classes, with the features learnt from the references of a source.

        Strings weigh by their rarity among these references; strings in none of them are not seen.
        """
        from sklearn.feature_extraction.text import TfidfTransformer

        taught = self.counts[1][source]
        seen = np.unique(taught.indices)
        transformer = TfidfTransformer().fit(taught[:, seen])
        test, references = (transformer.transform(part[classes][:, seen]) for part in self.counts)
        if not recogniser.startswith("SVD"):
            return test, references
        return _projected(test, references, source=transformer.transform(taught[:, seen]))


class NamesOfThings(World):
    """Foreign names of things, 20 a class (from 500 classes: 5), to be matched with the English ones."""

    DIMENSIONS = 128

    def __init__(self) -> None:
        recognisers = {"TF-IDF": True, "hashed SVD": True, "hashed SVD" + SUBSET: False}
        recognisers |= {"discriminant": False, "discriminant" + FIXED: True}
        n_classes = load_names().n_classes
        steps = {100: (500, n_classes), 500: (1_000, n_classes)}
        super().__init__("names", recognisers, steps, n_classes, n_repeats=20)

    @cached_property
    def texts(self) -> tuple[list[str], list[str], list[str], NDArray[np.int64]]:
        """References, the 20 test names of every class, and the other names with their classes, for training."""
        names = load_names()
        place = np.arange(len(names.names)) - np.searchsorted(names.labels, names.labels)
        tests = [names.names[i] for i in np.flatnonzero(place < 20)]
        rest = np.flatnonzero(place >= 20)
        return list(names.references), tests, [names.names[i] for i in rest], names.labels[rest]

    @cached_property
    def sparse(self) -> tuple[Any, Any]:
        """References and tests by weighed strings."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 3))
        references, tests = self.texts[:2]
        return vectorizer.fit_transform(references), vectorizer.transform(tests)

    @cached_property
    def hashed(self) -> tuple[Any, Any, Any]:
        """Square roots of hashed n-gram counts: references, tests, names for training."""
        from sklearn.feature_extraction.text import HashingVectorizer

        hashing = HashingVectorizer(analyzer="char_wb", ngram_range=(1, 4), n_features=2**14, alternate_sign=False)
        return tuple(hashing.transform(texts).sqrt() for texts in self.texts[:3])  # type: ignore[return-value]

    @cached_property
    def dense(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The same on the singular vectors of all references."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.preprocessing import normalize

        references, tests, others = self.hashed
        svd = TruncatedSVD(self.DIMENSIONS, n_iter=3, random_state=0).fit(references)
        return tuple(normalize(svd.transform(part)) for part in (references, tests, others))  # type: ignore[return-value]

    def draw(self, recogniser: str, k1: int, draw: int) -> Block:
        """See `World.draw`; of 500 classes, five names each, drawn anew every time."""
        scores, labels = super().draw(recogniser, k1, draw)
        if k1 < 500:
            return scores, labels
        few = np.random.default_rng([SEED, k1, draw]).random((k1, 20)).argsort(axis=1)[:, :5]
        rows = (np.arange(k1)[:, np.newaxis] * 20 + few).ravel()
        return scores[rows], labels[rows]

    def scores(self, recogniser: str, classes: NDArray[np.int64]) -> Block:
        """See `World.scores`."""
        rows = (np.asarray(classes)[:, np.newaxis] * 20 + np.arange(20)).ravel()
        labels = np.repeat(np.arange(len(classes)), 20)
        if recogniser == "TF-IDF":
            references, tests = self.sparse
            return np.asarray((tests[rows] @ references[classes].T).toarray()), labels
        if recogniser.startswith("discriminant"):
            return self._discriminant(classes, rows, fixed=recogniser.endswith(FIXED)), labels
        if recogniser.endswith(SUBSET):
            tests, references = _projected(self.hashed[1][rows], self.hashed[0][classes], self.DIMENSIONS)
            return tests @ references.T, labels
        return self.dense[1][rows] @ self.dense[0][classes].T, labels

    def _discriminant(self, classes: NDArray[np.int64], rows: NDArray[np.int64], *, fixed: bool) -> FloatArray:
        """Cosine to the centroid of a class's training names, in the metric of the spread within classes."""
        references, tests, others = self.dense
        points = np.concatenate([references, others])
        labels = np.concatenate([np.arange(self.n_classes), self.texts[3]])
        centroids = _centroids(points, labels, self.n_classes)
        used = slice(None) if fixed else np.isin(labels, classes)
        metric = _metric((points - centroids[labels])[used])
        chosen = centroids[classes]
        length = np.sqrt(np.einsum("ij,jk,ik->i", chosen, metric, chosen))
        return np.asarray(tests[rows] @ metric @ chosen.T / length)


class Hangul(World):
    """Korean syllables in ten faces, to be known by twelve others."""

    def __init__(self) -> None:
        recognisers = {"nearest centroid": True, "1-nearest neighbour": True}
        recognisers |= {"discriminant": False, "discriminant" + FIXED: True}
        super().__init__("hangul", recognisers, {100: (500, 2_350), 500: (1_000, 2_350)}, 2_350, n_repeats=10)

    @cached_property
    def data(self) -> Any:
        """The syllables."""
        return load_hangul()

    def scores(self, recogniser: str, classes: NDArray[np.int64]) -> Block:
        """See `World.scores`."""
        test = self.data.test[classes].reshape(-1, 63).astype(np.float64)
        train = self.data.train[classes].astype(np.float64)
        labels = np.repeat(np.arange(len(classes)), self.data.test.shape[1])
        if recogniser == "1-nearest neighbour":
            # all have unit length: the nearest is the one of the largest inner product
            best = np.full((len(test), len(classes)), -np.inf)
            for face in range(train.shape[1]):
                np.maximum(best, test @ train[:, face].T, out=best)
            return best, labels
        centroids = train.mean(axis=1)
        metric = np.eye(63)
        if recogniser.startswith("discriminant"):
            source = self.data.train.astype(np.float64) if recogniser.endswith(FIXED) else train
            metric = _metric((source - source.mean(axis=1, keepdims=True)).reshape(-1, 63))
        half = 0.5 * np.einsum("ij,jk,ik->i", centroids, metric, centroids)
        return test @ metric @ centroids.T - half, labels


def _centroids(points: FloatArray, labels: NDArray[np.int64], n_classes: int) -> FloatArray:
    total = np.zeros((n_classes, points.shape[1]))
    np.add.at(total, labels, points)
    return np.asarray(total / np.bincount(labels, minlength=n_classes)[:, np.newaxis])


def _metric(residuals: FloatArray, shrink: float = 0.1) -> FloatArray:
    """Inverse of the covariance of residuals, shrunk to a multiple of the identity."""
    covariance = residuals.T @ residuals / len(residuals)
    size = len(covariance)
    return np.linalg.inv((1 - shrink) * covariance + shrink * np.trace(covariance) / size * np.eye(size))


def _projected(
    test: Any, references: Any, n_components: int = 256, source: Any = None
) -> tuple[FloatArray, FloatArray]:
    """Project on the singular vectors of a source, by default these references, at most half as many as it has."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.preprocessing import normalize

    taught = references if source is None else source
    svd = TruncatedSVD(min(n_components, taught.shape[0] // 2), n_iter=2, random_state=0).fit(taught)
    return normalize(svd.transform(test)).astype(np.float64), normalize(svd.transform(references)).astype(np.float64)


@lru_cache(maxsize=2)
def real_world(name: str) -> World:
    """Return one of the real worlds, loaded once a process."""
    return {"glyphs": Glyphs, "words": Texts, "names": NamesOfThings, "hangul": Hangul}[name]()
