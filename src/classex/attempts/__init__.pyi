from .allocation import next_attempts as next_attempts
from .compared import pass_at_k_difference as pass_at_k_difference
from .solved import attempts_to_reach as attempts_to_reach
from .solved import pass_at_k as pass_at_k
from .solved import pass_hat_k as pass_hat_k
