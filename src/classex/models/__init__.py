"""Generative models of classes and test points that know their own truth.

Each model draws experiments (``sample``), scores test points by its rule (and by the Bayes rule), and knows
its discriminability function D(u), its average accuracy with any number of classes, and its mutual
information in nats.
"""

from __future__ import annotations

from classex.models._base import Model, Sample
from classex.models.bivariate import BivariateNormal
from classex.models.code import RandomCode
from classex.models.gaussian import GaussianClasses, GaussianSequence
from classex.models.identifiable import PartlyIdentifiable
from classex.models.logistic import MultivariateLogistic
from classex.models.von_mises_fisher import VonMisesFisherClasses

__all__ = [
    "BivariateNormal",
    "GaussianClasses",
    "GaussianSequence",
    "Model",
    "MultivariateLogistic",
    "PartlyIdentifiable",
    "RandomCode",
    "Sample",
    "VonMisesFisherClasses",
]
