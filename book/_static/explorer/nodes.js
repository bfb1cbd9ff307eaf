// A distribution of the probit of the favourability on nodes: classex.distributions.DiscreteDistribution.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { logNdtr, ndtri } = explorer;

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

  explorer.parts.push(part);
  Object.assign(explorer, { interpolate, nodesLaw });
})();
