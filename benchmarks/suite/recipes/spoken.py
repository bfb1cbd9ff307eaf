"""Spoken words: a class is an English word, its reference spoken by one synthetic voice, its test point by another.

A word is described by the logarithm of its energy in 8 mel bands and 6 parts of its length.
"""

from __future__ import annotations

import io
import subprocess
import warnings

import numpy as np
from numpy.typing import NDArray

from benchmarks.suite.recipes import Pair
from benchmarks.suite.recipes.texts import sample
from classex_book.data import load_words

SOURCES = (
    ("debian: espeak-ng 1.51", "GPL-3+"),
    ("classex: words.tsv.xz (WordNet), for the list of words", "WordNet license"),
)
FloatArray = NDArray[np.float64]
_MOST, _BANDS, _PARTS, _FRAME = 4_000, 8, 6, 512
# another English, a whisper, and another speaker of the same English
_VOICES = {"British": "en-gb", "whispered": "en-us+whisper", "other speaker": "en-us+m7"}
_REFERENCE = "en-us"


def recognisers() -> dict[str, Pair]:
    """Correlations of mel spectra, one recogniser for each voice of the test points."""
    words = sorted({text.split()[0].strip(",;:.").lower() for text in load_words().references})
    words = [word for word in words if word.isascii() and word.isalpha() and len(word) > 3]
    chosen = [words[i] for i in sample(len(words), _MOST)]
    reference = np.stack([_spectrum(word, _REFERENCE) for word in chosen])
    first = np.sort(np.unique(reference.round(4), axis=0, return_index=True)[1])  # no homophones
    found = {}
    for name, voice in _VOICES.items():
        test = np.stack([_spectrum(chosen[i], voice) for i in first])
        found[name] = (_unit(test), _unit(reference[first]))
    return found


def _unit(rows: FloatArray) -> FloatArray:
    """Less the mean over all words of a voice, by coordinate, and of unit length."""
    centred = rows - rows.mean(axis=0)
    return np.asarray(centred / np.linalg.norm(centred, axis=1, keepdims=True))


def _spectrum(word: str, voice: str) -> FloatArray:
    """Logarithm of the energy by band and part of the word."""
    from scipy.io import wavfile

    sound = subprocess.run(["espeak-ng", "-v", voice, "--stdout", word], capture_output=True, check=True).stdout
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wavfile.WavFileWarning)  # a stream does not know its length
        rate, signal = wavfile.read(io.BytesIO(sound))
    wave = np.trim_zeros(signal.astype(np.float64) / 32768)
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(wave, _FRAME), _FRAME)[:: _FRAME // 4]
    power = np.square(np.abs(np.fft.rfft(frames * np.hanning(_FRAME), axis=1)))
    mel = 2595 * np.log10(1 + np.fft.rfftfreq(_FRAME, 1 / rate) / 700)
    edges = np.linspace(mel[1], 2595 * np.log10(1 + 6_000 / 700), _BANDS + 2)
    bank = np.maximum(0, 1 - np.abs(mel[:, np.newaxis] - edges[1:-1]) / (edges[1] - edges[0]))
    energy = np.log(power @ bank + 1e-4)
    at = np.linspace(0, len(energy) - 1, _PARTS)
    return np.concatenate([np.interp(at, np.arange(len(energy)), band) for band in energy.T])
