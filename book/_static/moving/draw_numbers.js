// A curve that the reader draws through a few numbers of classes, straight between them against log K, and its distance
// from another curve.
(function () {
  "use strict";

  const { interpolate } = window.classexExplorer;

  // The curve through the knots at every number of classes
  function drawnCurve(knots, accuracies, sizes) {
    const places = knots.map(Math.log);
    return sizes.map((k) => interpolate(Math.log(k), places, accuracies));
  }

  // What a stroke between two points of the chart says about the knots, in the order in which it passes them: [place,
  // height], the height being that of the stroke there or, of a knot within reach of its last point, of that point
  function stroke(knots, [x0, y0], [x1, y1], reach) {
    const passed = knots.map((x, i) => [i, x0 === x1 ? NaN : (x - x0) / (x1 - x0)]).filter(([, share]) => share > 0 && share <= 1)
      .sort((one, other) => one[1] - other[1]).map(([i, share]) => [i, y0 + share * (y1 - y0)]);
    const nearest = knots.reduce((best, x, i) => (Math.abs(x - x1) < Math.abs(knots[best] - x1) ? i : best), 0);
    return Math.abs(knots[nearest] - x1) <= reach ? [...passed, [nearest, y1]] : passed;
  }

  // Mean absolute difference of two curves along log K, by the trapezoid rule
  function meanDistance(one, other, sizes) {
    let sum = 0;
    const apart = sizes.map((_, i) => Math.abs(one[i] - other[i]));
    for (let i = 1; i < sizes.length; i++) sum += Math.log(sizes[i] / sizes[i - 1]) * (apart[i] + apart[i - 1]) / 2;
    return sum / Math.log(sizes[sizes.length - 1] / sizes[0]);
  }

  Object.assign((window.classexMoving ??= {}), { drawnCurve, meanDistance, stroke });
}());
