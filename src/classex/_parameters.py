"""scikit-learn's protocol of parameters, without importing it: they can be read, set and cloned."""

from __future__ import annotations

from inspect import signature
from typing import Any, Self

from classex.exceptions import NotFittedError

__all__ = ["Parameters"]


class Parameters:
    """Base of estimators whose ``__init__`` stores its arguments, unchanged, under their names."""

    _fitted_name = "distribution_"

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        listed = signature(cls.__init__).parameters.values()
        return {parameter.name: parameter.default for parameter in listed if parameter.name != "self"}

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's signature
        """Return the parameters by name.

        Parameters
        ----------
        deep : bool
            Not used: parameters are no estimators.

        Returns
        -------
        dict
        """
        return {name: getattr(self, name) for name in self._defaults()}

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters by name, for the next fit.

        Returns
        -------
        The estimator itself.

        Raises
        ------
        ValueError
            If there is no such parameter.
        """
        accepted = self._defaults()
        for name, value in parameters.items():
            if name not in accepted:
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(accepted)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = {name: value for name, value in self.get_params().items() if value is not self._defaults()[name]}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, self._fitted_name)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=True))

    def check_fitted(self) -> None:
        """Raise `NotFittedError` before a fit."""
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")
