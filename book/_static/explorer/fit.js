// Maximum marginal likelihood of the probit-normal law and its covariance over classes: the same objective, prior and
// sandwich as classex.methods.ProbitNormal.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { accuracyAndGradient, collapse, jackknifeDeviations, logPmf, pointWeights, tieNodes } = explorer;
  const { ndtri } = explorer;
  const { muBounds: MU_BOUNDS, logNuBounds: LOG_NU_BOUNDS, logNuPrior: LOG_NU_PRIOR, fitNodes: FIT_NODES } =
    explorer.settings.probitNormal;

  const clip = (x, [low, high]) => Math.min(Math.max(x, low), high);

  // Class-balanced mean log-likelihood at place = [mu, log nu], and its gradient
  function meanLogLikelihood(counts, place) {
    const nu = Math.exp(place[1]);
    const at = logPmf(counts.values, counts.nWrong, place[0], nu, FIT_NODES);
    let value = 0;
    const gradient = [0, 0];
    at.forEach((one, i) => {
      value += counts.weight[i] * one.value;
      gradient[0] += counts.weight[i] * one.gradient[0];
      gradient[1] += counts.weight[i] * one.gradient[1];
    });
    return { value, gradient };
  }

  // Logarithm of the weak prior, worth about one test point: Jeffreys' for the accuracy with k1 classes, and a normal
  // one on log nu
  function logPrior(counts, place) {
    const [right] = logPmf([counts.nWrong], counts.nWrong, place[0], Math.exp(place[1]));
    const p = Math.min(Math.exp(right.value), 1 - 1e-15);
    const deviation = (place[1] - LOG_NU_PRIOR.centre) / LOG_NU_PRIOR.width;
    const factor = 0.5 * (1 - p / (1 - p));
    return {
      value: 0.5 * (right.value + Math.log1p(-p)) - 0.5 * deviation * deviation,
      gradient: [factor * right.gradient[0], factor * right.gradient[1] - deviation / LOG_NU_PRIOR.width],
    };
  }

  function objective(counts, place) {
    const likelihood = meanLogLikelihood(counts, place);
    const prior = logPrior(counts, place);
    return {
      value: likelihood.value + prior.value / counts.nPoints,
      gradient: likelihood.gradient.map((slope, i) => slope + prior.gradient[i] / counts.nPoints),
    };
  }

  // Minus the second derivatives of the objective, by central differences of its gradient
  function hessianAt(counts, place) {
    const step = 1e-3;
    const rows = [0, 1].map((axis) => {
      const move = (sign) => objective(counts, place.map((x, i) => x + (i === axis ? sign * step : 0))).gradient;
      const before = move(-1);
      const after = move(1);
      return before.map((slope, i) => (slope - after[i]) / (2 * step));
    });
    const cross = 0.5 * (rows[0][1] + rows[1][0]);
    return [[rows[0][0], cross], [cross, rows[1][1]]];
  }

  // Eigenvalues, in ascending order, and eigenvectors of a symmetric 2 x 2 matrix
  function eigen([[a, b], [, c]]) {
    const middle = 0.5 * (a + c);
    const radius = Math.hypot(0.5 * (a - c), b);
    const angle = 0.5 * Math.atan2(2 * b, a - c);
    const first = [Math.cos(angle), Math.sin(angle)];
    return { values: [middle - radius, middle + radius], vectors: [[-first[1], first[0]], first] };
  }

  const dot = (x, y) => x[0] * y[0] + x[1] * y[1];
  const times = (matrix, x) => matrix.map((row) => dot(row, x));

  // Ascent direction: Newton's, with the curvature made positive
  function direction(hessian, gradient, free) {
    if (!free) return [gradient[0] / Math.max(Math.abs(hessian[0][0]), 1e-8), 0];
    const { values, vectors } = eigen(hessian);
    const floor = 1e-6 * Math.max(Math.abs(values[0]), Math.abs(values[1]), 1e-6);
    const parts = values.map((value, i) => dot(vectors[i], gradient) / Math.max(Math.abs(value), floor));
    return [0, 1].map((i) => parts[0] * vectors[0][i] + parts[1] * vectors[1][i]);
  }

  // Maximum from one start, by Newton's method with step halving; free tells whether nu is to be fitted
  function climb(counts, start, free) {
    let place = start;
    let here = objective(counts, place);
    if (!free) here.gradient[1] = 0;
    for (let i = 0; i < 100; i++) {
      const step = direction(hessianAt(counts, place), here.gradient, free);
      const slope2 = dot(here.gradient, here.gradient);
      const longest = Math.max(Math.abs(step[0]) / 2, Math.abs(step[1]), 1);
      let scale = 1 / longest;
      let next;
      let there;
      for (; scale > 1e-9; scale *= 0.5) {
        next = [clip(place[0] + scale * step[0], MU_BOUNDS), clip(place[1] + scale * step[1], LOG_NU_BOUNDS)];
        there = objective(counts, next);
        if (!free) there.gradient[1] = 0;
        // near the maximum the quadrature's error hides the rise, and the slope is the better guide
        const flat = there.value > here.value - 1e-8 && dot(there.gradient, there.gradient) < slope2;
        if (there.value > here.value || flat) break;
      }
      const moved = Math.hypot(next[0] - place[0], next[1] - place[1]);
      if (scale <= 1e-9) break;
      place = next;
      here = there;
      if (moved < 1e-9) break;
    }
    return { place, value: here.value };
  }

  function maximise(counts, nu) {
    let middle = 0.5;
    counts.values.forEach((wins, i) => {
      middle += counts.weight[i] * wins;
    });
    const probit = ndtri(middle / (counts.nWrong + 1));
    const fits = (nu === null ? [0.4, 0.8, 1.6] : [nu]).map((start) =>
      climb(counts, [clip(probit * Math.sqrt(1 + start * start), MU_BOUNDS), Math.log(start)], nu === null));
    return fits.reduce((best, fit) => (fit.value > best.value ? fit : best)).place;
  }

  // Deviations of the classes' sums from their mean: every class is seen through its own points only
  function ownClassScores(ranks, gradients) {
    const nodes = Array.from(ranks.wins, (wins, j) => tieNodes(ranks.ties[j]).map((u) => wins + u));
    const values = [...new Set(nodes.flat())];
    const at = new Map(gradients(values).map((gradient, i) => [values[i], gradient]));
    const weight = pointWeights(ranks);
    const own = new Map(); // sums over the points of a class: gradient, and weight
    nodes.forEach((wins, j) => {
      const sums = own.get(ranks.labels[j]) || [0, 0, 0];
      const mean = [0, 1].map((f) => wins.reduce((part, w) => part + at.get(w)[f], 0) / wins.length);
      own.set(ranks.labels[j], [...mean, 1].map((x, f) => sums[f] + weight[j] * x));
    });
    const p = ranks.nTested;
    const sums = [...own.values()];
    const all = [0, 1].map((f) => sums.reduce((total, sum) => total + sum[f], 0));
    const share = (ranks.nClasses - 1) / ranks.nClasses; // by which the caller multiplies
    return sums.map((sum) => all.map((total, f) => (sum[f] - sum[2] * total / p) / Math.sqrt(p * (p - 1) * share)));
  }

  // Change of the mean score function when one group of classes is left out
  function classScores(ranks, place) {
    const [mu, nu] = [place[0], Math.exp(place[1])];
    const n = ranks.nClasses - 1;
    const gradients = (values, among) =>
      logPmf(values.map((wins) => clip(wins, [0, among])), among, mu, nu).map((at) => at.gradient);
    if (ranks.distractors === null || ranks.nClasses < 4) return ownClassScores(ranks, (values) => gradients(values, n));
    const kept = gradients(ranks.distractors.wins, n - 1);
    const lost = gradients(ranks.distractors.wins.map((r) => r - 1), n - 1);
    return jackknifeDeviations(ranks, ranks.distractors, kept, lost);
  }

  // H^-1 M H^-1, with M raised to H / n in the directions where it falls below
  function sandwich(hessian, meat, nPoints) {
    const { values, vectors } = eigen(hessian);
    const floor = 1e-12 * Math.max(values[1], 1e-300);
    const root = vectors.map((vector, i) => vector.map((x) => x / Math.sqrt(Math.max(values[i], floor))));
    const relative = root.map((x) => root.map((y) => nPoints * dot(x, times(meat, y))));
    const inner = eigen(relative);
    const side = inner.vectors.map((turn) => [0, 1].map((i) => turn[0] * root[0][i] + turn[1] * root[1][i]));
    return [0, 1].map((i) => [0, 1].map((j) =>
      side.reduce((sum, s, m) => sum + Math.max(inner.values[m], 1) * s[i] * s[j], 0) / nPoints));
  }

  // Fit the law to ranks; nu = null for both parameters, or a known standard deviation
  function fitProbitNormal(ranks, nu = null) {
    const counts = collapse(ranks);
    const place = maximise(counts, nu);
    const hessian = hessianAt(counts, place);
    const scores = classScores(ranks, place);
    const share = (ranks.nClasses - 1) / ranks.nClasses;
    const meat = [0, 1].map((i) => [0, 1].map((j) => share * scores.reduce((sum, s) => sum + s[i] * s[j], 0)));
    const covariance = nu === null
      ? sandwich(hessian, meat, counts.nPoints)
      : [[Math.max(meat[0][0], hessian[0][0] / counts.nPoints) / hessian[0][0] ** 2, 0], [0, 0]];
    const logLikelihood = counts.nPoints * meanLogLikelihood(counts, place).value;
    const [mu, spread] = [place[0], Math.exp(place[1])];
    return {
      mu, nu: spread, logLikelihood, covariance, ranks,
      ...explorer.probitNormal(mu, spread),
      // by the delta method
      variance: (sizes) => accuracyAndGradient(mu, spread, sizes).map(({ gradient }) => dot(gradient, times(covariance, gradient))),
    };
  }

  explorer.parts.push(part);
  Object.assign(explorer, { dot, fitProbitNormal, times });
})();
