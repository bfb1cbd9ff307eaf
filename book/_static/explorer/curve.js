// The accuracy observed at several numbers of classes and its covariance over classes: the same as
// classex.accuracy_curve and classex.curves.accuracy_covariance.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { groupTotals, inner, jackknifeDeviations, logGammaRatio, pointWeights } = explorer;
  const ROUNDING = 1e-9;
  const LONG = 1000; // factors

  // Probability that a truth with so many wins among nClasses survives in a random subset of k: the shorter of two
  // products, over the labels that are drawn or over those that beat the truth, or of gamma functions where both are long
  function subsetAccuracy(wins, nClasses, k) {
    if (wins < k - 1) return 0;
    const losses = nClasses - 1 - wins;
    let value = 1;
    const steps = Math.min(k - 1, losses);
    if (steps > LONG) return Math.exp(logGammaRatio(nClasses - k + 1, k - 1) - logGammaRatio(wins - k + 2, k - 1));
    for (let i = 0; i < steps && value > 0; i++) {
      value *= losses < k - 1 ? (nClasses - k - i) / (nClasses - 1 - i) : (wins - i) / (nClasses - 1 - i);
    }
    return value;
  }

  // The same, averaged over random tie-breaking: a sum in closed form
  function expectedAccuracy(wins, ties, nClasses, k) {
    if (ties === 0) return subsetAccuracy(wins, nClasses, k);
    const total = subsetAccuracy(wins + ties + 1, nClasses + 1, k + 1) - subsetAccuracy(wins, nClasses + 1, k + 1);
    return Math.min(total * nClasses / k / (ties + 1), 1);
  }

  // Subset accuracy of each group's own points for every k in sizes, one row a group
  function ownAccuracy(ranks, sizes, nGroups) {
    const total = Array.from({ length: nGroups }, () => new Float64Array(sizes.length));
    const weight = pointWeights(ranks);
    const known = new Map(); // many points have the same wins and ties
    ranks.wins.forEach((wins, j) => {
      const code = wins * ranks.nClasses + ranks.ties[j];
      if (!known.has(code)) {
        known.set(code, sizes.map((k) => expectedAccuracy(wins, ranks.ties[j], ranks.nClasses, k)));
      }
      const value = known.get(code);
      const own = total[ranks.labels[j] % nGroups];
      for (let i = 0; i < value.length; i++) own[i] += weight[j] * value[i];
    });
    return total;
  }

  // Scaled deviations of the average accuracy when one group of classes is left out, for sizes below the number observed
  function leftOut(ranks, sizes) {
    const k1 = ranks.nClasses;
    const { wins } = ranks.distractors;
    const among = (r) => sizes.map((k) => subsetAccuracy(Math.min(Math.max(r, 0), k1 - 2), k1 - 1, k));
    const rows = jackknifeDeviations(ranks, ranks.distractors, wins.map(among), wins.map((r) => among(r - 1)));
    const scale = -Math.sqrt((k1 - 1) / k1);
    return rows.map((row) => row.map((x) => scale * x));
  }

  const errorOf = (rows, column) => Math.sqrt(rows.reduce((sum, row) => sum + row[column] ** 2, 0));
  const varies = (error, value) => error > ROUNDING * Math.abs(value);

  // Zeros where nothing varies but by rounding
  function dropRounding(rows, value) {
    value.forEach((mean, i) => {
      const error = errorOf(rows, i);
      if (!varies(error, mean) && !Number.isNaN(error)) rows.forEach((row) => (row[i] = 0));
    });
  }

  // Beyond half of the classes: the own-class deviations times the ratio of jackknife to own-class error at half, or,
  // where the classes do not differ on their own points, the jackknife at half, at the same number of trials
  function carryOn(rows, whole, wanted, value, half) {
    const atHalf = wanted.length - 2;
    const single = value.map((mean) => Math.sqrt(Math.max(mean * (1 - mean), 0)));
    const own = errorOf(rows, atHalf);
    const alone = varies(own, value[atHalf]) ? own : 0;
    const last = whole[0].length - 1;
    const jackknife = errorOf(whole, last);
    const ratio = alone > 0 && jackknife > 0 ? jackknife / alone : 1;
    wanted.forEach((k, i) => {
      if (k <= half) return;
      const here = errorOf(rows, i);
      const asAtHalf = single[atHalf] > 0 ? single[i] / single[atHalf] : 0;
      const lost = !varies(here, value[i]) || (alone === 0 && asAtHalf * jackknife > here);
      const onOwn = ratio * Math.min(1, here * ratio > 0 ? single[i] / (here * ratio) : 1);
      rows.forEach((row, g) => (row[i] = lost ? whole[g][last] * asAtHalf : row[i] * onOwn));
    });
  }

  // Largest number of trials that the sample is worth for each k: known at half of the classes and with all of them
  function mostTrials(sizes, half, k1, value, error, people) {
    if (!(error[0] > 0)) return sizes.map(() => Infinity);
    const trials = value.map((mean, i) => Math.log(mean * (1 - mean)) - 2 * Math.log(error[i]));
    const most = Math.min(trials[0], error[1] > 0 ? trials[1] : Math.log(people));
    return sizes.map((k) => (k > half
      ? Math.exp(trials[0] + Math.log(k / half) / Math.log(k1 / half) * (most - trials[0])) : Infinity));
  }

  // The same ranks with labels for the classes that have test points alone
  function withoutUntested(ranks) {
    const index = new Map();
    for (const label of ranks.labels) if (!index.has(label)) index.set(label, index.size);
    return { ...ranks, labels: Array.from(ranks.labels, (label) => index.get(label)) };
  }

  // Average accuracies, what each group of classes adds, one row a group, of which the covariance is the Gram matrix,
  // and the largest number of trials that each is worth
  function deviationsOf(given, sizes) {
    const k1 = given.nClasses;
    const ranks = given.distractors === null ? withoutUntested(given) : given;
    const half = Math.floor(k1 / 2);
    const nGroups = ranks.distractors === null ? ranks.nTested : ranks.distractors.nGroups;
    const beyond = sizes.some((k) => k > half);
    const wanted = beyond ? [...sizes, half, k1] : sizes;
    const rows = ownAccuracy(ranks, wanted, nGroups);
    const p = ranks.nTested;
    const { tested } = groupTotals(ranks, nGroups);
    const value = wanted.map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / p);
    const scale = p > 1 ? Math.sqrt(p * (p - 1)) : NaN;
    rows.forEach((row, g) => value.forEach((mean, i) => (row[i] = (row[i] - tested[g] * mean) / scale)));
    if (ranks.distractors !== null && k1 >= 4 && p > 1) {
      const below = wanted.map((_, i) => i).filter((i) => wanted[i] <= half);
      const whole = leftOut(ranks, below.map((i) => wanted[i]));
      dropRounding(whole, below.map((i) => value[i]));
      if (beyond) carryOn(rows, whole, wanted, value, half);
      rows.forEach((row, g) => below.forEach((i, column) => (row[i] = whole[g][column])));
    }
    dropRounding(rows, value);
    const ends = [wanted.length - 2, wanted.length - 1];
    const most = beyond ? mostTrials(sizes, half, k1, ends.map((i) => value[i]), ends.map((i) => errorOf(rows, i)), p)
      : sizes.map(() => Infinity);
    return { value, rows, most };
  }

  // Average accuracies observed at several numbers of classes, their covariance over classes, and their trials at most
  function observedCurve(ranks, sizes) {
    const { value, rows, most } = deviationsOf(ranks, sizes);
    const covariance = sizes.map(() => new Float64Array(sizes.length));
    for (const row of rows) {
      for (let i = 0; i < sizes.length; i++) for (let j = 0; j <= i; j++) covariance[i][j] += row[i] * row[j];
    }
    for (let i = 0; i < sizes.length; i++) for (let j = 0; j < i; j++) covariance[j][i] = covariance[i][j];
    return { value: value.slice(0, sizes.length).map((x) => Math.min(Math.max(x, 0), 1)), covariance, most };
  }

  // Average accuracy over all subsets of k of the observed classes, for every k in sizes; ties broken at random
  function observedAccuracy(ranks, sizes) {
    const share = new Map();
    const weight = pointWeights(ranks);
    ranks.wins.forEach((wins, j) => {
      const code = wins * ranks.nClasses + ranks.ties[j];
      share.set(code, (share.get(code) ?? 0) + weight[j] / ranks.nTested);
    });
    const codes = [...share.keys()];
    return sizes.map((k) => inner(codes.map((code) =>
      expectedAccuracy(Math.floor(code / ranks.nClasses), code % ranks.nClasses, ranks.nClasses, k)), [...share.values()]));
  }

  explorer.parts.push(part);
  Object.assign(explorer, { observedAccuracy, observedCurve });
})();
