// Intervals of the accuracy by a fitted law, the same as the library's predict_interval. A fitted law holds the ranks
// and gives, for every number of classes, its accuracy and the variance of that over classes.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { LEAST, collapse, dot, linkTo, logChoose, ndtr, observedCurve, probit, roundHalfEven } = explorer;
  const { studentQuantile, times } = explorer;
  const LARGEST_MISS = 3;
  const BENT = 0.1;
  const ONE_ERROR = 0.68;
  const HALF_ERROR = 0.38;
  const BETTER = 1;
  const LEAST_SPREAD = 0.35;
  const ROUNDING = 1e-9;
  const SMALL_RATE = 1e-5;

  // Slope of the normal distribution function where it takes a value
  function probitDensity(value) {
    const z = probit(value);
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
    const z = probit(value);
    const half = quantile * Math.sqrt(Math.max(variance, 0)) / probitDensity(value);
    return [ndtr(z - half), ndtr(z + half)];
  }

  // One interval, at most twice as wide as on the plain scale
  function endsAt(value, variance, quantile) {
    const plain = quantile * Math.sqrt(Math.max(variance, 0));
    const [low, high] = probitEnds(value, variance, quantile);
    return { value, low: Math.min(Math.max(low, value - 2 * plain), value), high: Math.max(Math.min(high, value + 2 * plain), value) };
  }

  // Interval at every K from the law's own variance, and from its lack of fit where that does not count it
  function own(law, sizes, quantile) {
    if (law.heldToData) law.link ??= linkOf(law);
    else law.missed ??= lackOfFit(law);
    const linked = law.heldToData ? (k, value, variance) => law.link.shifted(k, value, variance)
      : (k, value, variance) => [value, variance + law.missed.square(k, value)];
    const variance = law.variance(sizes);
    return law.accuracy(sizes).map((value, i) => (sizes[i] <= 1 ? { value: 1, low: 1, high: 1 }
      : endsAt(...linked(sizes[i], value, variance[i]), quantile)));
  }

  // How the fitted curve is brought to the accuracy observed with all classes: a shift of its probit, and a factor for
  // what still misses; both fade as k1 / K
  function linkOf({ accuracy, ranks }) {
    const k1 = ranks.nClasses;
    const [known] = observedCurve(ranks, [k1]).value;
    const [fitted] = accuracy([k1]);
    const { near, fade, shift } = linkTo(known, fitted, ranks.nTested, k1);
    const shifted = (k, value, variance) => {
      const [before, added] = [probit(value), shift(k)];
      const [one, other] = [before, before + added].map((z) => Math.exp(-0.5 * z * z));
      return [ndtr(before + added), variance * (other / one) ** 2 + (added * other) ** 2 / (2 * Math.PI)];
    };
    const moved = (k, value) => Math.min(value * (1 + (known / Math.max(near, LEAST) - 1) * fade(k)), known);
    return { known, near, shifted, moved };
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

  // Wilson's interval of a rate at the number of trials that would have this standard error, and at `most` of them; and
  // what half a unit of a kind that the sample lacks could change, a share of the distribution Beta(1/2, people)
  function rateInterval(rate, error, people, level, most = Infinity) {
    const varies = error > ROUNDING * Math.max(rate, SMALL_RATE) && rate > 0 && rate < 1;
    const number = Math.min(varies ? rate * (1 - rate) / error ** 2 : Number.isNaN(error) ? people : Infinity, most);
    const t = studentQuantile(level, Math.max(people - 1, 1));
    const shrunk = t * t / (number + t * t);
    const centre = rate + shrunk * (0.5 - rate);
    const half = Math.sqrt(shrunk * (1 - shrunk) * rate * (1 - rate) + shrunk * shrunk / 4);
    const student = studentQuantile(0.5 + level / 2, 2 * people);
    const unseen = student * student / (2 * people + student * student);
    return [Math.min(Math.max(centre - half, 0), rate * (1 - unseen)),
      Math.max(Math.min(centre + half, 1), rate + (1 - rate) * unseen)];
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

  // Whether the observed curve falls less, or more, at its end than the law says for the next decade
  function bends({ accuracy, link, priorMean, ranks }) {
    const k1 = ranks.nClasses;
    const here = probit(link.near);
    const beyond = probit(link.shifted(10 * k1, accuracy([10 * k1])[0], 0)[0]);
    const usual = (priorMean(k1 - 1) - priorMean(k1)) / (priorMean(k1) - priorMean(10 * k1));
    const expected = (k1 - 1) * (ndtr(here + (here - beyond) * usual) - ndtr(here));
    const { share, error } = beatenOnce(ranks);
    const n = ranks.wins.length;
    const ends = (level) => rateInterval(share, Math.max(error, Math.sqrt(share * (1 - share) / n)), n, level);
    return {
      flat: ends(ONE_ERROR)[1] < (1 - BENT) * expected,
      steep: ends(HALF_ERROR)[0] > (1 + BENT) * expected,
    };
  }

  // Number of independent points that the sample is worth: points of a class that share their errors count for fewer
  function worth(ranks) {
    const { value, covariance } = observedCurve(ranks, [ranks.nClasses]);
    const error = Math.sqrt(covariance[0][0]);
    const n = ranks.wins.length;
    return error > ROUNDING * value[0] ? Math.min(n, value[0] * (1 - value[0]) / error ** 2) : n;
  }

  // Whether one favourability for all points fits the wins better than the least usual spread
  function areAlike(ranks) {
    const { values, weight, nWrong } = collapse(ranks);
    const mean = values.reduce((sum, wins, i) => sum + weight[i] * wins / nWrong, 0);
    const u = Math.min(Math.max(mean, LEAST), 1 - LEAST);
    const { mu } = explorer.fitProbitNormal(ranks, LEAST_SPREAD);
    const spread = explorer.logPmf(values, nWrong, mu, LEAST_SPREAD);
    const gain = values.reduce((sum, wins, i) => sum + weight[i] * (logChoose(nWrong, wins) + wins * Math.log(u)
      + (nWrong - wins) * Math.log1p(-u) - spread[i].value), 0);
    return worth(ranks) * gain > BETTER;
  }

  // What contradicts the usual shape of a curve, and whether the accuracies observed are at or above chance
  function departuresOf(fit) {
    const { ranks } = fit;
    const k1 = ranks.nClasses;
    const found = k1 < 3 ? { flat: false, steep: false, alike: false } : { ...bends(fit), alike: areAlike(ranks) };
    const above = curveIntervals(ranks, [2, k1], 0.95).every(([, high], i) => high >= 1 / [2, k1][i]);
    return { ...found, above };
  }

  // The interval of the default is held to what the observed curve shows by itself, as joined_to_curve does
  function holdToData(fit, sizes, points, level) {
    const { ranks } = fit;
    const k1 = ranks.nClasses;
    fit.departures ??= departuresOf(fit);
    const { flat, steep, alike, above } = fit.departures;
    const limits = momentLimits(ranks, level);
    const near = sizes.filter((k) => k > 1 && k <= k1);
    const observed = near.length ? curveIntervals(ranks, near, level) : [];
    const known = near.length ? observedCurve(ranks, near).value : [];
    const here = probit(fit.link.near);
    sizes.forEach((k, i) => {
      const point = points[i];
      if (k > 1 && k <= k1) {
        [point.low, point.high] = observed[near.indexOf(k)];
        point.value = known[near.indexOf(k)];
      }
      if (k > k1) {
        if (steep || alike) point.low = Math.min(point.low, limits.lowest(k));
        if (flat) point.high = Math.max(point.high, limits.high);
        point.low = Math.min(point.low, limits.low);
        point.high = Math.min(point.high, limits.high);
        const share = 1 - Math.log2(k / k1);
        if (share > 0) {
          const fall = Math.min(probit(point.value) - here, 0);
          point.low = ndtr(share * (probit(limits.low) + fall) + (1 - share) * probit(point.low));
          point.high = ndtr(share * (probit(limits.high) + fall) + (1 - share) * probit(point.high));
        }
        point.value = fit.link.moved(k, point.value);
        if (above) point.value = Math.max(point.value, Math.min(1 / k, fit.link.known));
      }
    });
  }

  // Prediction and interval of the average accuracy at every K
  function predict(fit, sizes, level = 0.95) {
    const quantile = studentQuantile(level, Math.max(fit.ranks.nTested - 1, 1));
    const points = own(fit, sizes, quantile);
    if (fit.heldToData) {
      holdToData(fit, sizes, points, level);
    } else {
      embrace(fit, sizes, points, quantile);
      reachOut(fit, sizes, points, quantile);
    }
    fallWithClasses(sizes, points);
    return points;
  }

  explorer.parts.push(part);
  Object.assign(explorer, { momentLimits, predict, probitDensity });
})();
