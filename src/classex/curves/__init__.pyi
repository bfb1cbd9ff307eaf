from .accuracy import accuracy_covariance as accuracy_covariance
from .accuracy import accuracy_curve as accuracy_curve
from .exchangeability import ExchangeabilityTest as ExchangeabilityTest
from .exchangeability import exchangeability_test as exchangeability_test
from .metrics import RankMetric as RankMetric
from .metrics import expected_metric as expected_metric
from .risk import mean_ordered_costs as mean_ordered_costs
from .risk import risk_curve as risk_curve
