// The default of classex.extrapolate: a Gaussian process for the accuracy curve, on the plane of probit accuracy against
// log K, the same as classex.methods.GaussianProcess with its own prior.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { cholesky, inner, logNdtr, ndtr, ndtri, nodesLaw, nonnegativeLeastSquares, observedCurve } = explorer;
  const { probitDensity, roundHalfEven, settings, solveCholesky } = explorer;
  const given = settings.process;
  const decades = (k) => Math.log10(k / 2);

  const priorMean = (k) => given.level + given.slope * decades(k)
    - given.early * given.decay * Math.expm1(-decades(k) / given.decay);

  // Covariance of a level and an integrated slope that is remembered over a length
  function priorCovariance(one, other, slopeSd) {
    const [t, u] = [decades(one) / given.length, decades(other) / given.length];
    const integral = 2 * Math.min(t, u) + Math.exp(-t) + Math.exp(-u) - 1 - Math.exp(-Math.abs(t - u));
    return given.level_sd ** 2 + (slopeSd * given.length) ** 2 * integral;
  }

  const densityAt = (probit) => Math.exp(-0.5 * Math.min(Math.max(probit, -37), 37) ** 2) / Math.sqrt(2 * Math.PI);

  // Numbers of classes from 2 to k1, evenly spaced in the logarithm
  function sizesUpTo(k1) {
    const count = given.most_sizes;
    const at = Array.from({ length: count }, (_, i) => roundHalfEven(2 * (k1 / 2) ** (i / (count - 1))));
    return [...new Set(at)];
  }

  // Mean and variance of the probit of the accuracy with K classes, over a usual and an unusual curve
  function posteriorOf(ranks) {
    const sizes = sizesUpTo(ranks.nClasses);
    const { value, covariance } = observedCurve(ranks, sizes);
    const m = ranks.nTested;
    // one hypothetical class is added
    const added = sizes.map((k) => 1 - 0.5 * Math.log(k) / Math.log(ranks.nClasses));
    const probit = value.map((accuracy, i) => ndtri((m * accuracy + added[i]) / (m + 1)));
    const slope = probit.map(densityAt);
    const noise = (i, j) => {
      const own = Math.min(added[i], added[j]) * (1 - Math.max(added[i], added[j]));
      return (m * m * covariance[i][j] + own) / (m + 1) ** 2 / (slope[i] * slope[j]) + (i === j ? given.jitter : 0);
    };
    const rest = probit.map((z, i) => z - priorMean(sizes[i]));
    const fits = [[1 - given.unusual, 1], [given.unusual, given.unusual_times]].map(([share, times]) => {
      const prior = (one, other) => priorCovariance(one, other, times * given.slope_sd);
      const lower = cholesky(sizes.map((one, i) => sizes.map((other, j) => prior(one, other) + noise(i, j))));
      const pulled = solveCholesky(lower, rest);
      const determinant = lower.reduce((sum, row, i) => sum + Math.log(row[i]), 0);
      return { prior, lower, pulled, log: Math.log(share) - 0.5 * inner(rest, pulled) - determinant };
    });
    const most = Math.max(...fits.map(({ log }) => log));
    const whole = fits.reduce((sum, { log }) => sum + Math.exp(log - most), 0);
    return (k) => {
      let [first, second] = [0, 0];
      fits.forEach(({ prior, lower, pulled, log }) => {
        const weight = Math.exp(log - most) / whole;
        const cross = sizes.map((one) => prior(one, k));
        const mean = priorMean(k) + inner(cross, pulled);
        first += weight * mean;
        second += weight * (mean ** 2 + Math.max(prior(k, k) - inner(cross, solveCholesky(lower, cross)), 0));
      });
      return { mean: first, variance: Math.max(second - first ** 2, 0) };
    };
  }

  // The law of the favourability whose accuracies are closest to the posterior mean: least squares over all laws on a
  // fine grid, with a small penalty on rough ones
  function lawOf(posterior) {
    const { first, last, count } = given.matched;
    const sizes = Array.from({ length: count }, (_, i) => first * (last / first) ** (i / (count - 1)));
    const nodes = Array.from({ length: given.nodes.count }, (_, i) => given.nodes.first + i * given.nodes.step);
    const aim = sizes.map(posterior);
    const scale = aim.map(({ mean, variance }) => 1 / (densityAt(mean) * Math.sqrt(variance + 1e-4)));
    const bend = given.roughness / 0.1 ** 2;
    const rows = nodes.length - 2;
    const columns = nodes.map((w, j) => {
      const logU = logNdtr(w);
      const curved = new Array(rows).fill(0);
      [1, -2, 1].forEach((part_, shift) => {
        if (j - shift >= 0 && j - shift < rows) curved[j - shift] = bend * part_;
      });
      return [...sizes.map((k, i) => scale[i] * Math.exp((k - 1) * logU)), ...curved, given.weight_of_one];
    });
    const target = [...aim.map(({ mean }, i) => scale[i] * ndtr(mean)), ...new Array(rows).fill(0), given.weight_of_one];
    const weight = nonnegativeLeastSquares(columns, target);
    const whole = weight.reduce((sum, one) => sum + one, 0);
    return nodesLaw(nodes, weight.map((one) => one / whole));
  }

  function fitProcess(ranks) {
    if (ranks.nTested < 2) throw new Error("The default needs test points of two classes or more.");
    const posterior = posteriorOf(ranks);
    const law = lawOf(posterior);
    const variance = (sizes) => law.accuracy(sizes).map((accuracy, i) =>
      posterior(Math.max(sizes[i], 2)).variance * probitDensity(accuracy) ** 2);
    return { ...law, variance, ranks, priorMean, heldToData: true };
  }

  explorer.parts.push(part);
  Object.assign(explorer, { fitProcess });
})();
