// Quadrature on [0, 1] that is sharp near one end or both: classex.distributions.distribution.panels.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;

  // Nodes between two ends, and their weights
  function between(low, high) {
    const { nodes, weights } = explorer.settings.legendre;
    return nodes.map((x, j) => [(high + low) / 2 + (high - low) / 2 * x, (high - low) / 2 * weights[j]]);
  }

  const halving = () => Array.from({ length: 52 }, (_, i) => between(0.5 ** (i + 2), 0.5 ** (i + 1))).flat();
  const fromLeft = ([u, width]) => ({ u, v: 1 - u, width });
  const fromRight = ([v, width]) => ({ u: 1 - v, v, width });

  // Nodes u, their complements v and weights, of Gauss-Legendre sums over panels that halve towards both ends
  const panels = () => [...halving().map(fromLeft), ...halving().map(fromRight)];

  // The same, halving towards 1 alone
  const panelsNearOne = () => [...between(0, 0.5).map(fromLeft), ...halving().map(fromRight)];

  explorer.parts.push(part);
  Object.assign(explorer, { panels, panelsNearOne });
})();
