// Intervals of the accuracy by a fitted law, the same as the library's predict_interval. A fitted law holds the ranks
// and gives, for every number of classes, its accuracy and the variance of that over classes.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { dot, ndtr, ndtri, observedCurve, roundHalfEven, studentQuantile, times } = explorer;
  const LEAST = 1e-12;
  const LARGEST_MISS = 3;

  // Slope of the normal distribution function where it takes a value
  function probitDensity(value) {
    const z = ndtri(Math.min(Math.max(value, LEAST), 1 - LEAST));
    return Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
  }

  // Squared error that the fitted curve betrays at k1 and k1 / 4 classes, as a function of K: what it misses there, on
  // the probit scale, continued as a straight line in log K, where it exceeds its own standard error. And whether the
  // accuracy observed with all classes refutes the fit; where nothing varies, by the spread that the fit implies.
  function lackOfFit({ accuracy: fittedAt, ranks }) {
    const k1 = ranks.nClasses;
    const low = Math.max(roundHalfEven(k1 / 4), 2);
    const fitted = fittedAt([low, k1]);
    const slope = fitted.map(probitDensity);
    const { value, covariance } = observedCurve(ranks, [low, k1]);
    const implied = Math.max(Math.sqrt(fitted[1] * (1 - fitted[1]) / ranks.nTested), 1 / (ranks.nTested + 1));
    const refuted = Math.abs(fitted[1] - value[1]) > LARGEST_MISS * (Math.sqrt(covariance[1][1]) || implied);
    if (low >= k1) return { refuted, square: () => 0 };
    const missed = fitted.map((accuracy, i) => (value[i] - accuracy) / slope[i]);
    const scaled = covariance.map((row, i) => Array.from(row, (entry, j) => entry / (slope[i] * slope[j])));
    const square = (k, accuracy) => {
      const beyond = Math.max(Math.log(k / k1) / Math.log(k1 / low), -1);
      const line = [-beyond, 1 + beyond];
      const found = dot(line, missed) ** 2;
      return found > dot(line, times(scaled, line)) ? found * probitDensity(accuracy) ** 2 : 0;
    };
    return { refuted, square };
  }

  // Ends of the t interval around a prediction, symmetric on the probit scale
  function probitEnds(value, variance, quantile) {
    const z = ndtri(Math.min(Math.max(value, LEAST), 1 - LEAST));
    const half = quantile * Math.sqrt(Math.max(variance, 0)) / probitDensity(value);
    return [ndtr(z - half), ndtr(z + half)];
  }

  // One interval, at most twice as wide as on the plain scale
  function endsAt(value, variance, quantile) {
    const plain = quantile * Math.sqrt(Math.max(variance, 0));
    const [low, high] = probitEnds(value, variance, quantile);
    return { value, low: Math.min(Math.max(low, value - 2 * plain), value), high: Math.max(Math.min(high, value + 2 * plain), value) };
  }

  // Interval at every K from the law's own variance and lack of fit
  function own(law, sizes, quantile) {
    law.missed ??= lackOfFit(law);
    const variance = law.variance(sizes);
    return law.accuracy(sizes).map((value, i) => (sizes[i] <= 1 ? { value: 1, low: 1, high: 1 }
      : endsAt(value, variance[i] + law.missed.square(sizes[i], value), quantile)));
  }

  // Where a refuted law's interval leaves out what the probit-normal law predicts, it reaches as far as that law's
  function embrace(fit, sizes, points, quantile) {
    if (!fit.missed.refuted) return;
    fit.other ??= explorer.fitProbitNormal(fit.ranks, null);
    own(fit.other, sizes, quantile).forEach(({ value, low, high }, i) => {
      if (value < points[i].low) points[i].low = low;
      if (value > points[i].high) points[i].high = high;
    });
  }

  // Where every point is right, or every one wrong, the interval reaches as far as one more test point could move it
  function reachOut(fit, sizes, points, quantile) {
    const { wins, ties, nClasses } = fit.ranks;
    const right = wins.every((won) => won === nClasses - 1);
    const wrong = wins.every((won, j) => won + ties[j] === 0);
    if (!right && !wrong) return;
    const prior = explorer.fitProbitNormal(fit.ranks, null);
    const variance = prior.variance(sizes);
    prior.accuracy(sizes).forEach((value, i) => {
      if (sizes[i] <= 1) return;
      const [low, high] = probitEnds(value, variance[i], quantile);
      points[i].low = right ? Math.min(points[i].low, low) : 0;
      points[i].high = wrong ? Math.max(points[i].high, high) : 1;
    });
  }

  // The average accuracy never rises with the number of classes, and neither do the ends of its interval
  function fallWithClasses(sizes, points) {
    const order = sizes.map((_, i) => i).sort((a, b) => sizes[a] - sizes[b] || a - b);
    let high = Infinity;
    for (const i of order) points[i].high = high = Math.min(points[i].high, high);
    let low = -Infinity;
    for (const i of order.reverse()) points[i].low = low = Math.max(points[i].low, low);
    for (const point of points) {
      point.low = Math.min(point.low, point.value);
      point.high = Math.max(point.high, point.value);
    }
  }

  // Prediction and interval of the average accuracy at every K
  function predict(fit, sizes, level = 0.95) {
    const quantile = studentQuantile(level, Math.max(fit.ranks.nTested - 1, 1));
    const points = own(fit, sizes, quantile);
    embrace(fit, sizes, points, quantile);
    reachOut(fit, sizes, points, quantile);
    fallWithClasses(sizes, points);
    return points;
  }

  explorer.parts.push(part);
  Object.assign(explorer, { predict, probitDensity });
})();
