// The smooth mixture of ranks: a probit-normal law times a piecewise linear ratio that the wins ask for, the same as
// classex.laws.fit_mixture without scores.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { cholesky, collapse, distractorRatio, inner, logNdtr, ndtri, normalNodes, posteriorNodes } = explorer;
  const { settings, solveCholesky, tangents } = explorer;
  const LEAST = 1e-9;

  // Value at x of the line through points with ascending places, constant beyond the ends
  function interpolate(x, places, values) {
    const last = places.length - 1;
    if (!(x > places[0])) return values[0];
    if (x >= places[last]) return values[last];
    let low = 0;
    let high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (places[middle] <= x) low = middle;
      else high = middle;
    }
    return values[low] + (values[high] - values[low]) / (places[high] - places[low]) * (x - places[low]);
  }

  const cumulated = (weight) => {
    let total = 0;
    return weight.map((one) => (total += one));
  };

  // A law of the probit of the favourability on ascending nodes
  function nodesLaw(nodes, weight) {
    const logU = nodes.map(logNdtr);
    const middle = cumulated(weight).map((total, i) => total - weight[i] / 2);
    const share = (z) => (z < nodes[0] ? 0 : z > nodes[nodes.length - 1] ? 1 : interpolate(z, nodes, middle));
    return {
      nodes, weight,
      accuracy: (sizes) => sizes.map((k) =>
        Math.min(weight.reduce((sum, one, i) => sum + one * Math.exp((k - 1) * logU[i]), 0), 1)),
      discriminability: (us) => us.map((u) => (u <= 0 ? 0 : u >= 1 ? 1 : share(ndtri(u)))),
    };
  }

  // Knots that cover all but a thousandth of a law at either end
  function knotsOf({ nodes, weight }) {
    const total = cumulated(weight);
    const [low, high] = [1e-3, 1 - 1e-3].map((level) => interpolate(level, total, nodes));
    const end = Math.max(high, low + 0.1);
    const n = settings.mixture.knots;
    return Array.from({ length: n }, (_, i) => low + i * (end - low) / (n - 1));
  }

  // Expectation of every hat function over the knots under weighted nodes
  function hats(w, share, knots) {
    const out = new Array(knots.length).fill(0);
    const step = knots[1] - knots[0];
    w.forEach((at, i) => {
      const place = Math.min(Math.max((at - knots[0]) / step, 0), knots.length - 1 - 1e-9);
      const left = Math.floor(place);
      out[left] += share[i] * (1 - (place - left));
      out[left + 1] += share[i] * (place - left);
    });
    return out;
  }

  const square = (n) => Array.from({ length: n }, () => new Array(n).fill(0));

  // Gradient of the mean log-likelihood of a ratio, and minus its second derivatives
  function scoresAt({ likelihood, weight }, ratio) {
    const n = ratio.length;
    const mean = new Array(n).fill(0);
    const curvature = square(n);
    let value = 0;
    likelihood.forEach((row, r) => {
      const at = inner(row, ratio);
      value += weight[r] * Math.log(Math.max(at, 1e-300));
      for (let i = 0; i < n; i++) {
        mean[i] += weight[r] * row[i] / at;
        for (let j = 0; j < n; j++) curvature[i][j] += weight[r] * row[i] * row[j] / (at * at);
      }
    });
    return { value, mean, curvature };
  }

  // smoothness times D'D, the curvature of the penalty on differences of neighbours
  function roughness(n, smoothness) {
    const out = square(n);
    for (let i = 0; i + 1 < n; i++) {
      out[i][i] += smoothness;
      out[i + 1][i + 1] += smoothness;
      out[i][i + 1] -= smoothness;
      out[i + 1][i] -= smoothness;
    }
    return out;
  }

  // Gain in mean log-likelihood of a Newton step, and the effective number of parameters, in the directions that the
  // constraint leaves free
  function gainAndFreedom(problem, ratio, smoothness) {
    const { mean, curvature } = scoresAt(problem, ratio);
    const penalty = roughness(ratio.length, smoothness);
    const axes = tangents(problem.base);
    const turned = (matrix) => axes.map((x) => {
      const row = matrix.map((line) => inner(line, x));
      return axes.map((y) => inner(y, row));
    });
    const lower = cholesky(turned(curvature.map((row, i) => row.map((entry, j) => entry + penalty[i][j]))));
    const gradient = axes.map((x) => inner(x, mean));
    const meat = turned(curvature);
    const freedom = meat.reduce((sum, row, i) =>
      sum + solveCholesky(lower, row.map((entry, j) => entry - gradient[i] * gradient[j]))[i], 0);
    return { gain: 0.5 * inner(gradient, solveCholesky(lower, gradient)), freedom };
  }

  // The ratio >= 0 with expectation 1 that maximises the penalised likelihood: Newton's method inside a barrier that
  // is lowered until it does not matter
  function solveRatio(problem, smoothness) {
    const { base } = problem;
    const n = base.length;
    const penalty = roughness(n, smoothness);
    const rough = (ratio) => penalty.map((row) => inner(row, ratio));
    const goal = (ratio, height) => {
      if (ratio.some((x) => x <= 0)) return Infinity;
      const likely = problem.likelihood.reduce((sum, row, r) => sum + problem.weight[r] * Math.log(inner(row, ratio)), 0);
      return 0.5 * inner(ratio, rough(ratio)) - likely - height * ratio.reduce((sum, x) => sum + Math.log(x), 0);
    };
    let ratio = new Array(n).fill(1);
    for (let height = 1e-2; height > 1e-15; height *= 0.1) {
      for (let round = 0; round < 60; round++) {
        const { mean, curvature } = scoresAt(problem, ratio);
        const bend = rough(ratio);
        const slope = mean.map((one, i) => one - bend[i] + height / ratio[i]);
        const lower = cholesky(curvature.map((row, i) =>
          row.map((entry, j) => entry + penalty[i][j] + (i === j ? height / ratio[i] ** 2 : 0))));
        const [free, across] = [solveCholesky(lower, slope), solveCholesky(lower, base)];
        const price = (inner(base, free) + inner(base, ratio) - 1) / inner(base, across);
        const step = free.map((x, i) => x - price * across[i]);
        const rise = inner(slope, step);
        if (rise < 1e-22) break;
        const here = goal(ratio, height);
        let scale = 1;
        const moved = () => ratio.map((x, i) => x + scale * step[i]);
        while (scale > 1e-12 && !(goal(moved(), height) <= here - 1e-4 * scale * rise + 1e-15)) scale /= 2;
        if (scale <= 1e-12) break;
        ratio = moved();
      }
    }
    const kept = ratio.map((x) => Math.max(x, LEAST));
    const whole = inner(base, kept);
    return kept.map((x) => x / whole);
  }

  // The ratio whose log-likelihood, less the effective number of parameters, is largest; 1 if none is worth it
  function bestRatio(problem, nPoints, inflation) {
    let best = { criterion: 0, ratio: problem.base.map(() => 1), smoothness: Infinity };
    for (const smoothness of settings.mixture.smoothness) {
      const first = gainAndFreedom(problem, problem.base.map(() => 1), smoothness);
      if (2 * nPoints * first.gain <= inflation * first.freedom) continue;
      const ratio = solveRatio(problem, smoothness);
      const { freedom } = gainAndFreedom(problem, ratio, smoothness);
      const criterion = nPoints * scoresAt(problem, ratio).value - inflation * freedom;
      if (criterion > best.criterion) best = { criterion, ratio, smoothness };
    }
    return best;
  }

  // The mixture of ranks around a fitted probit-normal law
  function fitMixture({ mu, nu, ranks }) {
    const around = normalNodes(mu, nu);
    const base = nodesLaw(around.map(({ z }) => mu + nu * z), around.map(({ weight }) => weight));
    const knots = knotsOf(base);
    const counts = collapse(ranks);
    const problem = {
      likelihood: posteriorNodes(counts.values, counts.nWrong, mu, nu).map(({ w, share }) => hats(w, share, knots)),
      weight: counts.weight,
      base: hats(base.nodes, base.weight, knots),
    };
    const { ratio, smoothness } = bestRatio(problem, ranks.wins.length, distractorRatio(ranks));
    const raw = base.weight.map((one, i) => one * interpolate(base.nodes[i], knots, ratio));
    const whole = raw.reduce((sum, one) => sum + one, 0);
    return { ...nodesLaw(base.nodes, raw.map((one) => one / whole)), smoothness };
  }

  explorer.parts.push(part);
  Object.assign(explorer, { fitMixture, nodesLaw });
})();
