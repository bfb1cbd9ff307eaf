// Curves that an accuracy may follow, the components of the default's posterior: classex.forecast.posterior. A curve gives,
// for a number of classes, its mean probit, how much the level moves it, and its place on its axis.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { logGammaRatio, ndtri, probit, settings } = explorer;
  const given = settings.process;

  const decades = (k) => Math.log10(k / 2);
  const normalMaximum = (k) => -ndtri(-Math.expm1(-Math.LN2 / (k - 1)));

  // Probit of the accuracy if favourabilities have a beta distribution and a share of the points guesses
  function betaProbit(logA, b, hopeless, k) {
    const a = Math.exp(logA);
    return probit((1 - hopeless) * Math.exp(logGammaRatio(a + k - 1, b) - logGammaRatio(a, b)) + hopeless / k);
  }

  // The logarithm of a with which a beta curve has a value at k classes; NaN where it cannot
  function logAOf(value, b, hopeless, k) {
    const { first, last, count } = given.log_a;
    const at = (i) => first + (last - first) * i / (count - 1);
    const values = (i) => betaProbit(at(i), b, hopeless, k);
    let [low, high] = [0, count - 1];
    if (!(values(low) <= value && value <= values(high))) return NaN;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (values(middle) <= value) low = middle;
      else high = middle;
    }
    return at(low) + (value - values(low)) / (values(high) - values(low)) * (at(high) - at(low));
  }

  function straight({ weight, slope, slope_sd: slopeSd, length, early, decay, level, axis }) {
    const place = axis === "decades" ? decades : normalMaximum;
    const mean = (k) => level + slope * place(k) - early * decay * Math.expm1(-place(k) / decay);
    return [{ weight, slopeSd, length, place, mean, load: () => given.level_sd }];
  }

  function beta({ weight, shapes, slope_sd: slopeSd, length }, end, last) {
    return shapes.map(([b, hopeless]) => {
      const logA = logAOf(last, b, hopeless, end);
      const mean = (k, step = 0) => betaProbit(logA + step, b, hopeless, k);
      const byLevel = (k) => (mean(k, given.step) - mean(k, -given.step)) / (2 * given.step);
      const scale = given.level_sd / Math.max(Math.abs(byLevel(end)), 1e-3);
      return { weight: weight / shapes.length, slopeSd, length, place: decades, mean, load: (k) => scale * byLevel(k) };
    }).filter(({ mean }) => Number.isFinite(mean(end)));
  }

  const COMPONENTS = { Straight: straight, Beta: beta };

  // Curves of all components, given the last number of classes that was observed and the probit there
  function curvesOf(components, end, last) {
    return components.flatMap((one) => COMPONENTS[one.component](one, end, last)).filter(({ weight }) => weight > 0);
  }

  // Mean, load and place of a curve at k classes, and the covariance of two such
  const at = ({ mean, load, place, length }, k) => ({ mean: mean(k), load: load(k), t: place(k) / length });

  function covariance({ slopeSd, length }, one, other) {
    const [t, u] = [one.t, other.t];
    const integral = 2 * Math.min(t, u) + Math.exp(-t) + Math.exp(-u) - 1 - Math.exp(-Math.abs(t - u));
    return one.load * other.load + (slopeSd * length) ** 2 * integral;
  }

  explorer.parts.push(part);
  Object.assign(explorer, { betaProbit, curveAt: at, curveCovariance: covariance, curvesOf });
})();
