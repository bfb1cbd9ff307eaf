// Classes of the bivariate normal model: densities, the area under their envelope, random sets.
(function () {
  "use strict";

  const { ndtr, ndtri } = window.classexExplorer;

  // p(y | x) at correlation rho
  function density(rho, x, y) {
    const variance = (1 - rho) * (1 + rho);
    return Math.exp(-0.5 * (y - rho * x) ** 2 / variance) / Math.sqrt(2 * Math.PI * variance);
  }

  // Bayes accuracy of a set of classes: the area under the envelope, in closed form, divided by their number
  function bayesAccuracy(rho, classes) {
    const sorted = [...classes].sort((a, b) => a - b);
    const half = rho / (2 * Math.sqrt((1 - rho) * (1 + rho)));
    const gains = sorted.slice(1).map((x, i) => 2 * ndtr(half * (x - sorted[i])) - 1);
    return (1 + gains.reduce((sum, gain) => sum + gain, 0)) / sorted.length;
  }

  // Standard error of a share of n independent test points
  function binomialError(share, n) {
    return Math.sqrt(share * (1 - share) / n);
  }

  // Independent standard normal numbers, the same for the same seed (Mulberry32, T. Ettinger)
  function normalNumbers(seed) {
    let state = seed >>> 0;
    return () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
      return ndtri((((mixed ^ (mixed >>> 14)) >>> 0) + 0.5) / 2 ** 32);
    };
  }

  Object.assign((window.classexMoving ??= {}), { bayesAccuracy, binomialError, density, normalNumbers });
}());
