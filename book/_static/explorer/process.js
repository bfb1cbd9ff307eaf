// The default of classex.extrapolate: classex.methods.GaussianProcess with its own prior.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { densityAt, logNdtr, ndtr, nested, nodesLaw, nonnegativeLeastSquares, observedCurve, posteriorOf } = explorer;
  const { quantileOf, rateInterval, roundHalfEven, settings, withOnePoint } = explorer;
  const LARGEST_RISE = 3; // standard errors, as classex.curves.accuracy allows
  const LEVEL = 0.95;
  const given = settings.process;

  // Numbers of classes from 2 to k1, evenly spaced in the logarithm
  function sizesUpTo(k1) {
    const count = given.most_sizes;
    const at = Array.from({ length: count }, (_, i) => roundHalfEven(2 * (k1 / 2) ** (i / (count - 1))));
    return [...new Set(at)];
  }

  // Value between known ones, on straight lines in the logarithm of the number of classes
  function between(sizes, values, k) {
    if (sizes.length === 1) return values[0];
    const next = Math.max(sizes.findIndex((size) => size >= k), 1);
    const [low, high] = [Math.log(sizes[next - 1]), Math.log(sizes[next])];
    return values[next - 1] + (values[next] - values[next - 1]) * (Math.log(k) - low) / (high - low);
  }

  // The law of the favourability whose accuracies are closest to the observed curve, and beyond it to the posterior median:
  // least squares over all laws on a fine grid, with a small penalty on rough ones
  function lawOf(posterior, seen) {
    const { first, last, count } = given.matched;
    const sizes = Array.from({ length: count }, (_, i) => first * (last / first) ** (i / (count - 1)));
    const nodes = Array.from({ length: given.nodes.count }, (_, i) => given.nodes.first + i * given.nodes.step);
    const errors = seen.z.map((_, i) => Math.sqrt(seen.noise[i][i]));
    const [end, above] = [seen.sizes[seen.sizes.length - 1], ndtr(1)];
    let least = Infinity;
    const aim = sizes.map((k) => {
      const known = k <= end;
      const parts = known ? null : posterior(k);
      least = Math.min(least, known ? between(seen.sizes, seen.z, k) : quantileOf(parts, 0.5));
      const spread = known ? between(seen.sizes, errors, k) : 0.5 * (quantileOf(parts, above) - quantileOf(parts, 1 - above));
      return { median: least, spread };
    });
    const scale = aim.map(({ median, spread }) => 1 / (densityAt(median) * Math.hypot(spread, 0.01)));
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
    const target = [...aim.map(({ median }, i) => scale[i] * ndtr(median)), ...new Array(rows).fill(0), given.weight_of_one];
    const weight = nonnegativeLeastSquares(columns, target);
    const whole = weight.reduce((sum, one) => sum + one, 0);
    return nodesLaw(nodes, weight.map((one) => one / whole));
  }

  // The observed curve, and in its covariance that of points that fail evenly in log K: a sample with few errors holds few
  // of the ways to fail
  function curveOf(ranks) {
    const [sizes, nPoints] = [sizesUpTo(ranks.nClasses), ranks.wins.length];
    const { value, covariance } = observedCurve(ranks, sizes);
    const errors = (nPoints * (1 - value[sizes.length - 1]) + given.unseen_units) / (nPoints + 1);
    const even = sizes.map((k) => 1 - errors * Math.log(k) / Math.log(ranks.nClasses));
    const whole = covariance.map((row, i) => Array.from(row, (entry, j) => entry + nested(even[i], even[j]) / nPoints));
    return { sizes, value, covariance: whole, nPoints };
  }

  function fitProcess(ranks) {
    if (ranks.nTested < 2) throw new Error("The default needs test points of two classes or more.");
    const seen = withOnePoint(curveOf(ranks));
    const posterior = posteriorOf(seen);
    return { ...lawOf(posterior, seen), ranks, posterior, last: seen.last };
  }

  // A published curve, of which only the accuracies and the number of test points are known
  function fitCurve({ sizes, value, nPoints }) {
    value.slice(1).forEach((after, i) => {
      const error = Math.sqrt((value[i] * (1 - value[i]) + after * (1 - after)) / nPoints);
      if (after - value[i] > LARGEST_RISE * error) {
        throw new Error(`The accuracy rises from ${value[i]} with ${sizes[i]} classes to ${after} with ${sizes[i + 1]}, but the average `
          + "over random sets of classes never rises: are these error rates, or was there more training data?");
      }
    });
    const covariance = value.map((one) => value.map((other) => nested(one, other) / nPoints));
    const seen = withOnePoint({ sizes, value, covariance, nPoints });
    const posterior = posteriorOf(seen);
    const ends = value.map((one) => rateInterval(one, Math.sqrt(one * (1 - one) / nPoints), nPoints, LEVEL));
    const columns = { value, low: ends.map(([low]) => low), high: ends.map(([, high]) => high) };
    // below the first number of classes nothing is known
    const read = (k) => Object.fromEntries(Object.entries(columns).map(([name, column]) =>
      [name, k < sizes[0] ? NaN : between(sizes, column, k)]));
    return { ...lawOf(posterior, seen), posterior, last: seen.last, known: { sizes, value, read } };
  }

  explorer.parts.push(part);
  Object.assign(explorer, { fitCurve, fitProcess });
})();
