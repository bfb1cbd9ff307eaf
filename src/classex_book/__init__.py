"""What the book's exercises, quizzes and labs run on: ``check``, ``quiz``, ``load_study``, ``data``, and marking.

The exercises and questions of a chapter are in its folder of ``chapters``, which is loaded when the chapter is
checked. ``import classex`` loads nothing of this.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
