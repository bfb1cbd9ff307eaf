from .reliance import Reliance as Reliance
from .reliance import moment_limits as moment_limits
from .reliance import moment_range as moment_range
from .reliance import reliance_on_assumption as reliance_on_assumption
from .reliance import share_beaten_once as share_beaten_once
