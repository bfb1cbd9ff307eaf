// A Gaussian process for the accuracy curve, on the plane of probit accuracy against log K: the same as
// classex.laws.fit_gaussian_process with its own prior.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { cholesky, inner, logNdtr, ndtr, ndtri, nodesLaw, nonnegativeLeastSquares, observedCurve } = explorer;
  const { probitDensity, roundHalfEven, settings, solveCholesky } = explorer;
  const given = settings.process;
  const decades = (k) => Math.log10(k / 2);

  // Median of the largest of K - 1 standard normal variables
  const largestOf = (k) => -ndtri(-Math.expm1(-Math.LN2 / (k - 1)));

  const priorMean = (k) => given.level + given.normal * largestOf(k);

  function priorCovariance(one, other, wander) {
    // in units of the reach, over which the slope is remembered
    const [t, u] = [decades(one) / given.reach, decades(other) / given.reach];
    const wandered = 2 * Math.min(t, u) + Math.exp(-t) + Math.exp(-u) - 1 - Math.exp(-Math.abs(t - u));
    return given.level_sd ** 2 + (wander * given.reach) ** 2 * wandered;
  }

  const densityAt = (probit) => Math.exp(-0.5 * Math.min(Math.max(probit, -37), 37) ** 2) / Math.sqrt(2 * Math.PI);

  // Numbers of classes from 2 to k1, evenly spaced in the logarithm
  function sizesUpTo(k1) {
    const count = given.most_sizes;
    const at = Array.from({ length: count }, (_, i) => roundHalfEven(2 * (k1 / 2) ** (i / (count - 1))));
    return [...new Set(at)];
  }

  // The posterior law of the curve, the mean and the variance of the probit of the accuracy with K classes, and the
  // variance of true curves around that mean
  function posteriorOf(ranks) {
    const sizes = sizesUpTo(ranks.nClasses);
    const { value, covariance } = observedCurve(ranks, sizes);
    const n = ranks.wins.length;
    // half a point that is right and half a point that is wrong are added
    const probit = value.map((accuracy) => ndtri((n * accuracy + 0.5) / (n + 1)));
    const slope = probit.map(densityAt);
    const noise = sizes.map((_one, i) => sizes.map((_other, j) => {
      const spread = (n / (n + 1)) ** 2 * covariance[i][j] + (0.5 / (n + 1)) ** 2;
      return spread / (slope[i] * slope[j]) + (i === j ? given.jitter : 0);
    }));
    const wandering = (wander) => (one, other) => priorCovariance(one, other, wander);
    const withNoise = (prior) => noise.map((row, i) => row.map((entry, j) => prior(sizes[i], sizes[j]) + entry));
    const [prior, narrow] = [wandering(given.wander), wandering(given.spread)];
    const lower = cholesky(withNoise(prior));
    const seen = withNoise(narrow);
    const pulled = solveCholesky(lower, probit.map((z, i) => z - priorMean(sizes[i])));
    const posterior = (k) => {
      const cross = sizes.map((one) => prior(one, k));
      const variance = prior(k, k) - inner(cross, solveCholesky(lower, cross));
      return { mean: priorMean(k) + inner(cross, pulled), variance: Math.max(variance, 0) };
    };
    // true curves wander less than the mean allows for: it errs by what its weights make of them and of the noise
    const scatter = (k) => {
      const gain = solveCholesky(lower, sizes.map((one) => prior(one, k)));
      const apart = seen.map((row, i) => narrow(sizes[i], k) - 0.5 * inner(row, gain));
      return Math.max(narrow(k, k) - 2 * inner(gain, apart), 0);
    };
    return { posterior, scatter };
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
    const { posterior, scatter } = posteriorOf(ranks);
    const law = lawOf(posterior);
    const variance = (sizes) => law.accuracy(sizes).map((accuracy, i) =>
      scatter(Math.max(sizes[i], 2)) * probitDensity(accuracy) ** 2);
    return { ...law, variance };
  }

  explorer.parts.push(part);
  Object.assign(explorer, { fitProcess });
})();
