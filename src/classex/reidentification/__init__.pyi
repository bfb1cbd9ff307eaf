from .risk import PopulationRisk as PopulationRisk
from .risk import population_risk as population_risk
