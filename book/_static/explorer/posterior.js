// The default's posterior of an accuracy curve, its quantiles, and the curve that goes on from the last observed accuracy:
// classex.forecast.CurvePrior and Posterior, classex.methods.gaussian_process.from_curve and ContinuedCurve.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { cholesky, curveAt, curveCovariance, curvesOf, forward, inner, ndtr, ndtri, probit, settings } = explorer;
  const { studentQuantile } = explorer;
  const given = settings.process;
  const ROUNDING = 1e-9;
  const SMALL_RATE = 1e-5;
  const FAR = 9; // beyond it the normal density is below 1e-18

  const densityAt = (z) => Math.exp(-0.5 * Math.min(Math.max(z, -37), 37) ** 2) / Math.sqrt(2 * Math.PI);

  // Owen's T function: Gauss-Legendre quadrature of its definition, for a > 1 of what complements it
  function owensT(h, a) {
    if (a < 0) return -owensT(h, -a);
    const x = Math.abs(h);
    if (a > 1) {
      const [one, other] = [ndtr(-x), ndtr(-a * x)];
      return 0.5 * (one + other) - one * other - owensT(a * x, 1 / a);
    }
    if (x > FAR) return 0;
    const { nodes, weights } = settings.legendre;
    const sum = nodes.reduce((total, node, i) => {
      const square = 1 + (a * (node + 1) / 2) ** 2;
      return total + weights[i] * Math.exp(-0.5 * x * x * square) / square;
    }, 0);
    return a * sum / (4 * Math.PI);
  }

  // Quantile of a share of units of a kind that the sample lacks, which has the distribution Beta(1/2, n)
  function unseenShare(probability, n) {
    const square = studentQuantile(probability, 2 * n) ** 2;
    return square / (2 * n + square);
  }

  // Wilson's interval of a rate at the number of trials that would have this standard error, and at `most` of them; and
  // what half a unit of a kind that the sample lacks could change
  function rateInterval(rate, error, people, level, most = Infinity) {
    const varies = error > ROUNDING * Math.max(rate, SMALL_RATE) && rate > 0 && rate < 1;
    const number = Math.min(varies ? rate * (1 - rate) / error ** 2 : Number.isNaN(error) ? people : Infinity, most);
    const t = studentQuantile(level, Math.max(people - 1, 1));
    const shrunk = t * t / (number + t * t);
    const centre = rate + shrunk * (0.5 - rate);
    const half = Math.sqrt(shrunk * (1 - shrunk) * rate * (1 - rate) + shrunk * shrunk / 4);
    const unseen = unseenShare(0.5 + level / 2, people);
    return [Math.min(Math.max(centre - half, 0), rate * (1 - unseen)),
      Math.max(Math.min(centre + half, 1), rate + (1 - rate) * unseen)];
  }

  // Covariance of the successes of one point: right among more classes, it is right among fewer
  const nested = (one, other) => Math.min(one, other) * (1 - Math.max(one, other));

  // Probits of observed accuracies and their covariance, with one hypothetical point added to n; and the last probit, from
  // which the curve goes on
  function withOnePoint({ sizes, value, covariance, nPoints: n }) {
    const last = sizes.length - 1;
    const added = sizes.map((k) => 1 - 0.5 * Math.log(k) / Math.log(sizes[last]));
    const z = value.map((accuracy, i) => ndtri((n * accuracy + added[i]) / (n + 1)));
    const noise = sizes.map((_, i) => sizes.map((__, j) => {
      const spread = (n * n * covariance[i][j] + nested(added[i], added[j])) / (n + 1) ** 2;
      return spread / (densityAt(z[i]) * densityAt(z[j])) + (i === j ? given.jitter : 0);
    }));
    const least = unseenShare(0.5, n);
    return { sizes, z, noise, last: probit(Math.min(Math.max(value[last], least), 1 - least)) };
  }

  // The posterior of a curve: for every K, the probit's mean, its gain from the last value, and its deviation given that,
  // by component
  function posteriorOf({ sizes, z, noise, last }, { components, temper } = given) {
    const n = sizes.length - 1;
    const fits = curvesOf(components, sizes[n], z[n]).map((curve) => {
      const known = sizes.map((k) => curveAt(curve, k));
      const lower = cholesky(known.map((one, i) =>
        known.map((other, j) => curveCovariance(curve, one, other) + noise[i][j])));
      const rest = forward(lower, z.map((value, i) => value - known[i].mean));
      const determinant = lower.reduce((sum, row, i) => sum + Math.log(row[i]), 0);
      const near = (there) => {
        const pull = forward(lower, known.map((one) => curveCovariance(curve, one, there)));
        const own = curveCovariance(curve, there, there) - inner(pull, pull);
        return { pull, centre: there.mean + inner(pull, rest), own: Math.max(own, given.least_variance) };
      };
      const log = Math.log(curve.weight) + temper * (-0.5 * inner(rest, rest) - determinant);
      return { curve, end: known[n], near, atEnd: near(known[n]), log };
    });
    const most = Math.max(...fits.map(({ log }) => log));
    const whole = fits.reduce((sum, { log }) => sum + Math.exp(log - most), 0);
    return (k) => fits.map(({ curve, end, near, atEnd, log }) => {
      const there = curveAt(curve, k);
      const { pull, centre, own } = near(there);
      const shared = curveCovariance(curve, end, there) - inner(pull, atEnd.pull);
      const gain = shared / atEnd.own;
      const deviation = Math.sqrt(Math.max(own - gain * shared, given.least_variance));
      return { weight: Math.exp(log - most) / whole, mean: centre + gain * (last - atEnd.centre), gain, deviation };
    });
  }

  // Probability of values up to z; the last one is normal with deviation `below` under that observed and `above` over it
  function cdfOf(parts, z, below, above) {
    return parts.reduce((sum, { weight, mean, gain, deviation }) => {
      const onSide = (side, spread) => {
        if (spread === Infinity) return 0;
        const ratio = gain * spread / deviation;
        const kappa = (z - mean) / (deviation * Math.hypot(1, ratio));
        return 0.5 * ndtr(kappa) - (spread > 0 ? side * owensT(kappa, ratio) : 0);
      };
      return sum + weight * (onSide(-1, below) + onSide(1, above));
    }, 0);
  }

  // Quantile of the values; infinite where nothing bounds them from above
  function quantileOf(parts, probability, below = 0, above = 0) {
    if (above === Infinity && probability >= 0.5) return Infinity;
    const wide = (side, spread) => parts.map(({ mean, gain, deviation }) =>
      mean + side * given.deviations * (deviation + (spread === Infinity ? 0 : spread * gain)));
    let [low, high] = [Math.min(...wide(-1, below)), Math.max(...wide(1, above))];
    const some = parts.filter(({ weight }) => weight > given.least_weight);
    for (let i = 0; i < given.halvings; i++) {
      const middle = 0.5 * (low + high);
      if (cdfOf(some, middle, below, above) < probability) low = middle;
      else high = middle;
    }
    return 0.5 * (low + high);
  }

  const open = (share) => (share >= 1 ? Infinity : probit(share));

  // Prediction and interval with k > k1 classes, from the last accuracy, its probit and its interval
  function continued(posterior, { last, value, ends }, k, level) {
    const normal = ndtri(0.5 + level / 2);
    const most = ends.map(open);
    const [below, above] = most.map((end, i) => Math.max((i ? 1 : -1) * (end - last), 0) / normal);
    const parts = posterior(k);
    const [low, high] = most.map((end, i) =>
      ndtr(Math.min(quantileOf(parts, 0.5 + (i - 0.5) * level, below, above), end)));
    return { value: Math.min(ndtr(quantileOf(parts, 0.5)), value), low, high };
  }

  // The average accuracy never rises with the number of classes, and neither do the ends of its interval
  function fallWithClasses(sizes, points) {
    const order = sizes.map((_, i) => i).filter((i) => !Number.isNaN(points[i].value)).sort((a, b) => sizes[a] - sizes[b] || a - b);
    let high = Infinity;
    for (const i of order) points[i].high = high = Math.min(points[i].high, high);
    let low = -Infinity;
    for (const i of order.reverse()) points[i].low = low = Math.max(points[i].low, low);
    for (const point of points) {
      point.low = Math.min(point.low, point.value);
      point.high = Math.max(point.high, point.value);
    }
  }

  explorer.parts.push(part);
  Object.assign(explorer, {
    continued, densityAt, fallWithClasses, nested, owensT, posteriorOf, quantileOf, rateInterval, withOnePoint,
  });
})();
