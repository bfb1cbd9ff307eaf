// The information that several accuracies imply together: classex.information.curve_information_bound.
(function () {
  "use strict";

  const { cholesky, inner, solveCholesky } = window.classexExplorer;
  const { extremalAt, lossOf, moments } = window.classexMoving;
  const STEPS = 200;

  // Least information that several accuracies allow together, the multipliers that prove it, and each bound alone.
  // Newton's method for the convex dual, with the multipliers that would become negative held at 0.
  function curveBound(accuracy, sizes) {
    const losses = sizes.map(lossOf);
    const error = accuracy.map((a) => 1 - a);
    const single = sizes.map((k, i) => extremalAt(accuracy[i], k));
    const alone = single.map((one) => one.information);
    const best = alone.indexOf(Math.max(...alone));
    let x = sizes.map((_, i) => (i === best ? single[i].c : 0));
    const cost = (at, { logNormaliser }) => logNormaliser + inner(at, error);
    let found = moments(x, losses);
    for (let i = 0; i < STEPS; i++) {
      const slope = found.mean.map((mean, a) => error[a] - mean);
      const free = sizes.map((_, a) => a).filter((a) => x[a] > 0 || slope[a] < 0);
      if (free.every((a) => Math.abs(slope[a]) < 1e-10 * error[a])) break;
      const scale = free.map((a) => Math.sqrt(found.covariance[a][a]));
      const curvature = free.map((a, at) => free.map((b, j) =>
        found.covariance[a][b] / (scale[at] * scale[j]) + (a === b ? 1e-12 : 0)));
      const step = solveCholesky(cholesky(curvature), free.map((a, at) => -slope[a] / scale[at]));
      const before = cost(x, found);
      let moved = false;
      for (let share = 1; share > 1e-12 && !moved; share /= 2) {
        const next = x.slice();
        free.forEach((a, at) => (next[a] = Math.max(x[a] + share * step[at] / scale[at], 0)));
        const there = moments(next, losses);
        moved = cost(next, there) < before;
        if (moved) [x, found] = [next, there];
      }
      if (!moved) break;
    }
    return { information: Math.max(-cost(x, found), 0), multipliers: x, alone, logNormaliser: found.logNormaliser };
  }

  Object.assign(window.classexMoving, { curveBound });
}());
