// The accuracy observed at several numbers of classes and its covariance over classes: the same as
// classex.accuracy_curve and classex.curves.accuracy_covariance.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { groupTotals, inner, jackknifeDeviations, pointWeights } = explorer;

  // Probability that a truth with so many wins among nClasses survives in a random subset of k: the shorter of two
  // products, over the labels that are drawn or over those that beat the truth
  function subsetAccuracy(wins, nClasses, k) {
    if (wins < k - 1) return 0;
    const losses = nClasses - 1 - wins;
    let value = 1;
    const steps = Math.min(k - 1, losses);
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

  // Average accuracies and what each group of classes adds, one row a group, of which the covariance is the Gram matrix
  function deviationsOf(ranks, sizes) {
    const k1 = ranks.nClasses;
    const half = Math.floor(k1 / 2);
    const simple = ranks.distractors === null || k1 < 4;
    const nGroups = ranks.distractors === null ? k1 : ranks.distractors.nGroups;
    const wanted = simple ? sizes : [...sizes, half];
    const rows = ownAccuracy(ranks, wanted, nGroups);
    const p = ranks.nTested;
    const { tested } = groupTotals(ranks, nGroups);
    const value = wanted.map((_, i) => rows.reduce((sum, row) => sum + row[i], 0) / p);
    const scale = p > 1 ? Math.sqrt(p * (p - 1)) : NaN;
    rows.forEach((row, g) => value.forEach((mean, i) => (row[i] = (row[i] - tested[g] * mean) / scale)));
    if (simple || p < 2) return { value, rows };
    const below = wanted.map((_, i) => i).filter((i) => wanted[i] <= half);
    const whole = leftOut(ranks, below.map((i) => wanted[i]));
    const square = (table, column) => table.reduce((sum, row) => sum + row[column] ** 2, 0);
    const alone = square(rows, wanted.length - 1);
    const ratio = alone > 0 ? Math.sqrt(square(whole, below.length - 1) / alone) : 1;
    rows.forEach((row, g) => {
      wanted.forEach((_, i) => (row[i] *= ratio));
      below.forEach((i, column) => (row[i] = whole[g][column]));
    });
    return { value, rows };
  }

  // Average accuracies observed at several numbers of classes, and their covariance over classes
  function observedCurve(ranks, sizes) {
    const { value, rows } = deviationsOf(ranks, sizes);
    const covariance = sizes.map(() => new Float64Array(sizes.length));
    for (const row of rows) {
      for (let i = 0; i < sizes.length; i++) for (let j = 0; j <= i; j++) covariance[i][j] += row[i] * row[j];
    }
    for (let i = 0; i < sizes.length; i++) for (let j = 0; j < i; j++) covariance[j][i] = covariance[i][j];
    return { value: value.slice(0, sizes.length).map((x) => Math.min(Math.max(x, 0), 1)), covariance };
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
