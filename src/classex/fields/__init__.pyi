from . import attempts as attempts
from . import decoding as decoding
from . import growth as growth
from . import identification as identification
from . import open_set as open_set
from . import reidentification as reidentification
from . import restating as restating
from . import retrieval as retrieval
