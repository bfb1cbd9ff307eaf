from .solved import PassAtK as PassAtK
from .solved import pass_at_k as pass_at_k
