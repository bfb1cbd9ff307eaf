from .reliance import Reliance as Reliance
from .reliance import moment_limits as moment_limits
from .reliance import reliance_on_assumption as reliance_on_assumption
from .restated import restated_limits as restated_limits
