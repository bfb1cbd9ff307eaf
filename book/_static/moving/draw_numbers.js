// A curve that the reader draws through a few numbers of classes, straight between them against log K, and its distance
// from another curve.
(function () {
  "use strict";

  const { interpolate } = window.classexExplorer;

  // Accuracies that never rise, from the one before them on
  const falling = (accuracies, first) => accuracies.reduce((kept, one) => [...kept, Math.min(one, kept.at(-1) ?? first)], []);

  // The curve through the knots at every number of classes
  function drawnCurve(knots, accuracies, sizes) {
    const places = knots.map(Math.log);
    return sizes.map((k) => interpolate(Math.log(k), places, accuracies));
  }

  // What a stroke between two points of the chart says about the knots: a knot takes the height at which the stroke
  // passes it, or that of an end within reach; all in pixels
  function stroke(knots, heights, [x0, y0], [x1, y1], reach) {
    const [low, high] = [Math.min(x0, x1), Math.max(x0, x1)];
    return knots.map((x, i) => {
      if (x >= low && x <= high && high > low) return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
      const [nearest, y] = Math.abs(x - x1) <= Math.abs(x - x0) ? [x1, y1] : [x0, y0];
      return Math.abs(x - nearest) <= reach ? y : heights[i];
    });
  }

  // Mean absolute difference of two curves along log K, by the trapezoid rule
  function meanDistance(one, other, sizes) {
    let sum = 0;
    const apart = sizes.map((_, i) => Math.abs(one[i] - other[i]));
    for (let i = 1; i < sizes.length; i++) sum += Math.log(sizes[i] / sizes[i - 1]) * (apart[i] + apart[i - 1]) / 2;
    return sum / Math.log(sizes[sizes.length - 1] / sizes[0]);
  }

  Object.assign((window.classexMoving ??= {}), { drawnCurve, falling, meanDistance, stroke });
}());
