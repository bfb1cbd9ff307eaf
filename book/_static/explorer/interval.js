// Predictions and intervals of the accuracy, the same as the library's predict_interval. A fitted law holds the ranks, and
// gives the posterior or, for every number of classes, its accuracy and the variance of that over classes.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { continued, densityAt, dot, fallWithClasses, ndtr, observedCurve, probit, rateInterval, roundHalfEven } = explorer;
  const { studentQuantile, times } = explorer;
  const LARGEST_MISS = 3;

  // Slope of the normal distribution function where it takes a value
  const probitDensity = (value) => densityAt(probit(value));

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
    const z = probit(value);
    const half = quantile * Math.sqrt(Math.max(variance, 0)) / probitDensity(value);
    return [ndtr(z - half), ndtr(z + half)];
  }

  // Interval at every K from the law's own variance and its lack of fit
  function own(law, sizes, quantile) {
    law.missed ??= lackOfFit(law);
    const variance = law.variance(sizes);
    return law.accuracy(sizes).map((value, i) => {
      if (sizes[i] <= 1) return { value: 1, low: 1, high: 1 };
      const [low, high] = probitEnds(value, variance[i] + law.missed.square(sizes[i], value), quantile);
      return { value, low, high };
    });
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

  // Interval of the observed accuracy itself for every k in sizes
  function curveIntervals(ranks, sizes, level) {
    const { value, covariance, most } = observedCurve(ranks, sizes);
    return value.map((one, i) => rateInterval(one, Math.sqrt(covariance[i][i]), ranks.nTested, level, most[i]));
  }

  // Share of the points that exactly one wrong label beats, and its standard error
  function beatenOnce(ranks) {
    const k1 = ranks.nClasses;
    const { value, covariance } = observedCurve(ranks, [k1 - 1, k1]);
    const variance = covariance[0][0] - 2 * covariance[0][1] + covariance[1][1];
    return {
      share: Math.min(Math.max((k1 - 1) * (value[0] - value[1]), 0), 1),
      error: (k1 - 1) * Math.sqrt(Math.max(variance, 0)),
    };
  }

  // Limits of the accuracy with K classes that hold for every distribution: those with all observed classes, and the
  // least of these with the steepest fall by one class more
  function momentLimits(ranks, level) {
    const k1 = ranks.nClasses;
    const [low, high] = curveIntervals(ranks, [k1], level)[0];
    const half = (1 + level) / 2;
    const [least] = curveIntervals(ranks, [k1], half)[0];
    const { share, error } = beatenOnce(ranks);
    const most = rateInterval(share, error, ranks.nTested, half)[1];
    const ratio = least > 0 ? least / (least + most / (k1 - 1)) : 0;
    return { low, high, least, ratio, lowest: (k) => Math.min(least * ratio ** (k - k1), low) };
  }

  // The default: the observed curve and its own interval, and beyond it the posterior
  function ofDefault({ ranks, posterior, last, known: published }, sizes, level) {
    if (published !== undefined) {
      const end = published.read(published.sizes.at(-1));
      const given = { last, value: end.value, ends: [end.low, end.high] };
      return sizes.map((k) => (k <= 1 ? { value: 1, low: 1, high: 1 }
        : k <= published.sizes.at(-1) ? published.read(k) : continued(posterior, given, k, level)));
    }
    const k1 = ranks.nClasses;
    const known = [...new Set([...sizes.filter((k) => k > 1 && k <= k1), k1])];
    const { value } = observedCurve(ranks, known);
    const ends = curveIntervals(ranks, known, level);
    const end = known.indexOf(k1);
    return sizes.map((k) => {
      if (k <= 1) return { value: 1, low: 1, high: 1 };
      if (k > k1) return continued(posterior, { last, value: value[end], ends: ends[end] }, k, level);
      const [low, high] = ends[known.indexOf(k)];
      return { value: value[known.indexOf(k)], low, high };
    });
  }

  // A probit-normal law
  function ofLaw(fit, sizes, level) {
    const quantile = studentQuantile(level, Math.max(fit.ranks.nTested - 1, 1));
    const points = own(fit, sizes, quantile);
    embrace(fit, sizes, points, quantile);
    reachOut(fit, sizes, points, quantile);
    return points;
  }

  // Prediction and interval of the average accuracy at every K
  function predict(fit, sizes, level = 0.95) {
    const points = (fit.posterior ? ofDefault : ofLaw)(fit, sizes, level);
    fallWithClasses(sizes, points);
    return points;
  }

  explorer.parts.push(part);
  Object.assign(explorer, { momentLimits, predict });
})();
