// Intervals of the accuracy by the fitted law: the same as classex.ProbitNormalExtrapolator's predict_interval.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { accuracyAndGradient, dot, groupTotals, jackknifeDeviations, logChoose, pointWeights } = explorer;
  const { roundHalfEven, times } = explorer;
  const { ndtr, ndtri, studentQuantile } = explorer;
  const LEAST = 1e-12;

  // Probability that a truth with so many wins among nClasses survives in a random subset of k
  function subsetAccuracy(wins, nClasses, k) {
    return wins < k - 1 ? 0 : Math.exp(logChoose(wins, k - 1) - logChoose(nClasses - 1, k - 1));
  }

  // Subset accuracy of each group's own points, ties broken at random, for every k in sizes
  function ownAccuracy(ranks, sizes, nGroups) {
    const total = Array.from({ length: nGroups }, () => new Float64Array(sizes.length));
    const weight = pointWeights(ranks);
    ranks.wins.forEach((wins, j) => {
      const own = total[ranks.labels[j] % nGroups];
      sizes.forEach((k, column) => {
        for (let u = 0; u <= ranks.ties[j]; u++) {
          own[column] += weight[j] * subsetAccuracy(wins + u, ranks.nClasses, k) / (ranks.ties[j] + 1);
        }
      });
    });
    return total;
  }

  // Scaled deviations of the average accuracy when one group of classes is left out, for sizes below the number observed
  function leftOut(ranks, sizes) {
    const k1 = ranks.nClasses;
    const { wins } = ranks.distractors;
    const among = (r) => sizes.map((k) => subsetAccuracy(Math.min(Math.max(r, 0), k1 - 2), k1 - 1, k));
    const rows = jackknifeDeviations(ranks, ranks.distractors, wins.map(among), wins.map((r) => among(r - 1)));
    return rows.map((row) => Array.from(row, (x) => -Math.sqrt((k1 - 1) / k1) * x));
  }

  const column = (rows, i) => rows.map((row) => row[i]);
  const inner = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0);

  // Average accuracies observed at two numbers of classes, and their covariance over classes
  function observed(ranks, sizes) {
    const k1 = ranks.nClasses;
    const half = Math.floor(k1 / 2);
    const nGroups = ranks.distractors === null ? k1 : ranks.distractors.nGroups;
    const wanted = k1 >= 4 ? [...sizes, half] : sizes;
    const own = ownAccuracy(ranks, wanted, nGroups);
    const p = ranks.nTested;
    const { tested } = groupTotals(ranks, nGroups);
    const value = wanted.map((_, i) => column(own, i).reduce((a, b) => a + b, 0) / p);
    let deviations = wanted.map((_, i) =>
      own.map((row, g) => (row[i] - tested[g] * value[i]) / Math.sqrt(p * (p - 1))));
    if (ranks.distractors !== null && k1 >= 4 && p > 1) {
      const whole = leftOut(ranks, wanted);
      const full = column(whole, wanted.length - 1);
      const alone = deviations[wanted.length - 1];
      const ratio = inner(alone, alone) > 0 ? Math.sqrt(inner(full, full) / inner(alone, alone)) : 1;
      deviations = wanted.map((k, i) => (k <= half ? column(whole, i) : deviations[i].map((x) => ratio * x)));
    }
    return { value, covariance: [0, 1].map((i) => [0, 1].map((j) => inner(deviations[i], deviations[j]))) };
  }

  // Slope of the normal distribution function where it takes a value
  function probitDensity(value) {
    const z = ndtri(Math.min(Math.max(value, LEAST), 1 - LEAST));
    return Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
  }

  // Squared error that the fitted curve betrays at k1 and k1 / 4 classes, as a function of K: what it misses there, on
  // the probit scale, continued as a straight line in log K, where it exceeds its own standard error
  function lackOfFit({ mu, nu, ranks }) {
    const k1 = ranks.nClasses;
    const low = Math.max(roundHalfEven(k1 / 4), 2);
    if (low >= k1) return () => 0;
    const fitted = accuracyAndGradient(mu, nu, [low, k1]).map(({ value }) => value);
    const slope = fitted.map(probitDensity);
    const { value, covariance } = observed(ranks, [low, k1]);
    const missed = fitted.map((accuracy, i) => (value[i] - accuracy) / slope[i]);
    const scaled = covariance.map((row, i) => row.map((entry, j) => entry / (slope[i] * slope[j])));
    return (k, accuracy) => {
      const beyond = Math.max(Math.log(k / k1) / Math.log(k1 / low), -1);
      const line = [-beyond, 1 + beyond];
      const square = dot(line, missed) ** 2;
      return square > dot(line, times(scaled, line)) ? square * probitDensity(accuracy) ** 2 : 0;
    };
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

  // Where every point is right, or every one wrong, the interval reaches as far as one more test point could move it
  function reachOut(fit, sizes, points, quantile) {
    const { wins, ties, nClasses } = fit.ranks;
    const right = wins.every((won) => won === nClasses - 1);
    const wrong = wins.every((won, j) => won + ties[j] === 0);
    if (!right && !wrong) return;
    const prior = explorer.fitProbitNormal(fit.ranks, null);
    accuracyAndGradient(prior.mu, prior.nu, sizes).forEach(({ value, gradient }, i) => {
      if (sizes[i] <= 1) return;
      const [low, high] = probitEnds(value, dot(gradient, times(prior.covariance, gradient)), quantile);
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
    const missed = lackOfFit(fit);
    const points = accuracyAndGradient(fit.mu, fit.nu, sizes).map(({ value, gradient }, i) => {
      if (sizes[i] <= 1) return { value: 1, low: 1, high: 1 };
      const variance = dot(gradient, times(fit.covariance, gradient)) + missed(sizes[i], value);
      return endsAt(value, variance, quantile);
    });
    reachOut(fit, sizes, points, quantile);
    fallWithClasses(sizes, points);
    return points;
  }

  explorer.parts.push(part);
  Object.assign(explorer, { predict });
})();
