// The posterior of an accuracy curve under the default's prior, and its link to the accuracy with all observed classes:
// classex.methods.CurvePrior, GaussianProcessDistribution.posterior and classex.predict.known.Link.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { cholesky, inner, ndtr, ndtri, probit, settings, solveCholesky, studentQuantile } = explorer;
  const decades = (k) => Math.log10(k / 2);

  const priorMean = (k, prior = settings.process) => prior.level + prior.slope * decades(k)
    - prior.early * prior.decay * Math.expm1(-decades(k) / prior.decay);

  // Covariance of a level and an integrated slope that is remembered over a length
  function priorCovariance(one, other, { length, level_sd: levelSd }, slopeSd) {
    const [t, u] = [decades(one) / length, decades(other) / length];
    const integral = 2 * Math.min(t, u) + Math.exp(-t) + Math.exp(-u) - 1 - Math.exp(-Math.abs(t - u));
    return levelSd ** 2 + (slopeSd * length) ** 2 * integral;
  }

  const densityAt = (z) => Math.exp(-0.5 * Math.min(Math.max(z, -37), 37) ** 2) / Math.sqrt(2 * Math.PI);

  // Mean and variance of the probit of the accuracy with K classes, over a usual and an unusual curve, from the accuracies
  // observed at several numbers of classes and their covariance
  function posteriorOf({ sizes, value, covariance, nUnits: m }, prior = settings.process) {
    // one hypothetical class is added
    const added = sizes.map((k) => 1 - 0.5 * Math.log(k) / Math.log(sizes[sizes.length - 1]));
    const observed = value.map((accuracy, i) => ndtri((m * accuracy + added[i]) / (m + 1)));
    const slope = observed.map(densityAt);
    const noise = (i, j) => {
      const own = Math.min(added[i], added[j]) * (1 - Math.max(added[i], added[j]));
      return (m * m * covariance[i][j] + own) / (m + 1) ** 2 / (slope[i] * slope[j]) + (i === j ? prior.jitter : 0);
    };
    const rest = observed.map((z, i) => z - priorMean(sizes[i], prior));
    const fits = [[1 - prior.unusual, 1], [prior.unusual, prior.unusual_times]].map(([share, times]) => {
      const between = (one, other) => priorCovariance(one, other, prior, times * prior.slope_sd);
      const lower = cholesky(sizes.map((one, i) => sizes.map((other, j) => between(one, other) + noise(i, j))));
      const pulled = solveCholesky(lower, rest);
      const determinant = lower.reduce((sum, row, i) => sum + Math.log(row[i]), 0);
      return { between, lower, pulled, log: Math.log(share) - 0.5 * inner(rest, pulled) - determinant };
    });
    const most = Math.max(...fits.map(({ log }) => log));
    const whole = fits.reduce((sum, { log }) => sum + Math.exp(log - most), 0);
    return (k) => {
      let [first, second] = [0, 0];
      fits.forEach(({ between, lower, pulled, log }) => {
        const weight = Math.exp(log - most) / whole;
        const cross = sizes.map((one) => between(one, k));
        const mean = priorMean(k, prior) + inner(cross, pulled);
        first += weight * mean;
        second += weight * (mean ** 2 + Math.max(between(k, k) - inner(cross, solveCholesky(lower, cross)), 0));
      });
      return { mean: first, variance: Math.max(second - first ** 2, 0) };
    };
  }

  // How a fitted curve is brought to the accuracy known at its end: its probit is shifted to that accuracy, with one
  // hypothetical class at the fitted one; the shift fades as k1 / K
  function linkTo(known, fitted, nUnits, k1) {
    const near = (nUnits * known + fitted) / (nUnits + 1);
    const fade = (k) => Math.min(k1 / k, 1);
    const missed = probit(near) - probit(fitted);
    return { near, fade, shift: (k) => missed * fade(k) };
  }

  // Prediction and interval from the posterior and the link alone, for every K in sizes
  function bandOf(curve, sizes, prior, level = 0.95) {
    const posterior = posteriorOf(curve, prior);
    const last = curve.sizes.length - 1;
    const { shift } = linkTo(curve.value[last], ndtr(posterior(curve.sizes[last]).mean), curve.nUnits, curve.sizes[last]);
    const quantile = studentQuantile(level, curve.nUnits - 1);
    return sizes.map((k) => {
      const { mean, variance } = posterior(k);
      const z = mean + shift(k);
      const half = quantile * Math.hypot(Math.sqrt(variance), shift(k));
      return { value: ndtr(z), low: ndtr(z - half), high: ndtr(z + half) };
    });
  }

  explorer.parts.push(part);
  Object.assign(explorer, { bandOf, densityAt, linkTo, posteriorOf, priorMean });
})();
