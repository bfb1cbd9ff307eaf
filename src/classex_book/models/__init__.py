"""Models of the labs and of chapter 5 whose accuracy is known, beside those of `classex.models`."""

from __future__ import annotations

from classex_book.models.logistic import MultivariateLogistic
from classex_book.models.von_mises_fisher import VonMisesFisherClasses

__all__ = ["MultivariateLogistic", "VonMisesFisherClasses"]
