// Intervals of the accuracy by the fitted law: the same as classex.ProbitNormalExtrapolator's predict_interval.
(function () {
  "use strict";

  const explorer = window.classexExplorer;
  const { accuracyAndGradient, classWeights, dot, jackknifeDeviations, logChoose, roundHalfEven, times } = explorer;
  const { ndtr, ndtri, studentQuantile } = explorer;
  const LEAST = 1e-12;

  // Probability that a truth with so many wins among nClasses survives in a random subset of k
  function subsetAccuracy(wins, nClasses, k) {
    return wins < k - 1 ? 0 : Math.exp(logChoose(wins, k - 1) - logChoose(nClasses - 1, k - 1));
  }

  // Subset accuracy of each group's own points, ties broken at random, for every k in sizes
  function ownAccuracy(ranks, sizes, nGroups) {
    const total = Array.from({ length: nGroups }, () => new Float64Array(sizes.length));
    const weight = classWeights(ranks);
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
    const groupSize = (g) => Math.floor((k1 - 1 - g) / nGroups) + 1;
    const value = wanted.map((_, i) => column(own, i).reduce((a, b) => a + b, 0) / k1);
    let deviations = wanted.map((_, i) =>
      own.map((row, g) => (row[i] - groupSize(g) * value[i]) / Math.sqrt(k1 * (k1 - 1))));
    if (ranks.distractors !== null && k1 >= 4) {
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

  // Prediction and t interval at every K, symmetric on the probit scale and at most twice as wide as on the plain one
  function predict(fit, sizes, level = 0.95) {
    const quantile = studentQuantile(level, Math.max(fit.ranks.nClasses - 1, 1));
    const missed = lackOfFit(fit);
    return accuracyAndGradient(fit.mu, fit.nu, sizes).map(({ value, gradient }, i) => {
      if (sizes[i] <= 1) return { value: 1, low: 1, high: 1 };
      const variance = dot(gradient, times(fit.covariance, gradient)) + missed(sizes[i], value);
      const plain = quantile * Math.sqrt(Math.max(variance, 0));
      const z = ndtri(Math.min(Math.max(value, LEAST), 1 - LEAST));
      const half = plain / probitDensity(value);
      const low = Math.max(ndtr(z - half), value - 2 * plain);
      const high = Math.min(ndtr(z + half), value + 2 * plain);
      return { value, low: Math.min(low, value), high: Math.max(high, value) };
    });
  }

  Object.assign(explorer, { predict });
})();
