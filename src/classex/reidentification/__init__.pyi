from .risk import population_risk as population_risk
