from .base import Model as Model
from .base import Sample as Sample
from .discrete import PartlyIdentifiable as PartlyIdentifiable
from .discrete import RandomCode as RandomCode
from .normal import BivariateNormal as BivariateNormal
from .normal import GaussianClasses as GaussianClasses
from .normal import GaussianSequence as GaussianSequence
