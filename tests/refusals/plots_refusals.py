import matplotlib.pyplot as plt
import numpy as np

from classex.advantage import selective_curve
from classex.plots import AccuracyCurveDisplay


def refused_accuracy_curve():
    yield lambda: AccuracyCurveDisplay(n_classes=np.array([2.0])).plot(), "n_classes and accuracy must be given"


def refused_selective():
    curve = selective_curve([0, 1, 1], [0, 1, 0], [1, 2, 3])
    _, axes = plt.subplots(1, 3)
    yield lambda: curve.plot(axes), r"ax must be two matplotlib axes.*not 3"
