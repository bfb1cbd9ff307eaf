"""Ranks of the correct label, from a score matrix or streamed from embeddings.

The rank is counted in *wins*: ``R* = #{m != i : M_ijm < M_iji}``, the wrong labels that score strictly below
the correct one (thesis section 2.3.1, with the correction that the correct label never counts itself).
"""

import lazy_loader

from classex._moved import or_moved

_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = or_moved(__name__, _public)
