// Quadrature on [0, 1] that is sharp near both ends: classex.distributions.quadrature.panels.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;

  // Nodes u, their complements v and weights, of Gauss-Legendre sums over panels that halve towards both ends
  function panels() {
    const { nodes, weights } = explorer.settings.legendre;
    const near = [];
    for (let i = 1; i < 53; i++) {
      const [high, low] = [0.5 ** i, 0.5 ** (i + 1)];
      nodes.forEach((x, j) => near.push([(high + low) / 2 + (high - low) / 2 * x, (high - low) / 2 * weights[j]]));
    }
    return [...near.map(([v, width]) => ({ u: v, v: 1 - v, width })), ...near.map(([v, width]) => ({ u: 1 - v, v, width }))];
  }

  explorer.parts.push(part);
  Object.assign(explorer, { panels });
})();
