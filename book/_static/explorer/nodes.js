// A distribution of the probit of the favourability on nodes: classex.distributions.DiscreteDistribution.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { interpolate, logNdtr, ndtri } = explorer;

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

  explorer.parts.push(part);
  Object.assign(explorer, { nodesLaw });
})();
