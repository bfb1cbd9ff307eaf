// One component of the default by hand: the observed curve, and the posterior beyond it, with a prior slope and spread.
(function () {
  "use strict";

  const { continued, fallWithClasses, interpolate, posteriorOf, rateInterval, settings } = window.classexExplorer;
  const { withOnePoint } = window.classexExplorer;
  const LEVEL = 0.95;

  // Prediction and interval for every number of classes; up to k1, lines between the observed accuracies and their ends
  function priorBand(curve, slope, spread, sizes) {
    const [usual] = settings.process.components;
    const prior = { ...settings.process, components: [{ ...usual, weight: 1, slope, slope_sd: spread }] };
    const seen = withOnePoint(curve);
    const posterior = posteriorOf(seen, prior);
    const ends = curve.value.map((one, i) => rateInterval(one, Math.sqrt(curve.covariance[i][i]), curve.nUnits, LEVEL));
    const [places, last] = [curve.sizes.map(Math.log), curve.sizes.length - 1];
    const between = (k, values) => interpolate(Math.log(k), places, values);
    const points = sizes.map((k) => {
      const end = { last: seen.last, value: curve.value[last], ends: ends[last] };
      if (k > curve.sizes[last]) return continued(posterior, end, k, LEVEL);
      const [low, high] = [0, 1].map((side) => between(k, ends.map((one) => one[side])));
      return { value: between(k, curve.value), low, high };
    });
    fallWithClasses(sizes, points);
    return points;
  }

  Object.assign((window.classexMoving ??= {}), { priorBand });
}());
