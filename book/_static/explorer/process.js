// The default of classex.extrapolate: a Gaussian process for the accuracy curve, on the plane of probit accuracy against
// log K, the same as classex.methods.GaussianProcess with its own prior.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { densityAt, logNdtr, ndtr, nodesLaw, nonnegativeLeastSquares, observedCurve, posteriorOf } = explorer;
  const { priorMean, probitDensity, roundHalfEven, settings } = explorer;
  const given = settings.process;

  // Numbers of classes from 2 to k1, evenly spaced in the logarithm
  function sizesUpTo(k1) {
    const count = given.most_sizes;
    const at = Array.from({ length: count }, (_, i) => roundHalfEven(2 * (k1 / 2) ** (i / (count - 1))));
    return [...new Set(at)];
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
    const sizes = sizesUpTo(ranks.nClasses);
    const posterior = posteriorOf({ ...observedCurve(ranks, sizes), sizes, nUnits: ranks.nTested });
    const law = lawOf(posterior);
    const variance = (sizes) => law.accuracy(sizes).map((accuracy, i) =>
      posterior(Math.max(sizes[i], 2)).variance * probitDensity(accuracy) ** 2);
    return { ...law, variance, ranks, priorMean, heldToData: true };
  }

  explorer.parts.push(part);
  Object.assign(explorer, { fitProcess });
})();
