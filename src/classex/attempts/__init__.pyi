from ._chances import ChanceDistributions as ChanceDistributions
from ._chances import draw_chance_distributions as draw_chance_distributions
from .solved import pass_at_k as pass_at_k
