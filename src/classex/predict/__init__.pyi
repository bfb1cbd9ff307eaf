from .capacity import classes_at_accuracy as classes_at_accuracy
from .capacity import set_size as set_size
from .examples import extrapolate_examples as extrapolate_examples
from .extrapolator import Extrapolator as Extrapolator
from .reliance import Reliance as Reliance
from .reliance import moment_limits as moment_limits
from .reliance import reliance_on_assumption as reliance_on_assumption
from .trials import extrapolation_trials as extrapolation_trials
