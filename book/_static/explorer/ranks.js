// Ranks of the correct label from scores, what each class did as a wrong label, and the jackknife over classes.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { MOST_GROUPS, binsOfWins, complete, groupTotals, pointWeights, tieNodes } = explorer;

  function table(nBins, nGroups) {
    return Array.from({ length: nBins }, () => new Float64Array(nGroups));
  }

  // Wins, ties and the table of distractors from scores[row][column] and the correct column of each row.
  // The table holds, for every bin of wins and group of classes, the weight of the points that beat the group's classes.
  function ranksOfScores(scores, labels) {
    const nClasses = scores[0].length;
    const ranks = { wins: [], ties: [], labels, nClasses, distractors: null };
    scores.forEach((row, j) => {
      const truth = row[labels[j]];
      ranks.wins.push(row.filter((score) => score < truth).length);
      ranks.ties.push(row.filter((score) => score === truth).length - 1);
    });
    complete(ranks);
    const { binOfWins, representative } = binsOfWins(nClasses);
    const nGroups = Math.min(nClasses, MOST_GROUPS);
    const beaten = table(representative.length, nGroups);
    const weight = pointWeights(ranks);
    scores.forEach((row, j) => {
      const truth = row[labels[j]];
      const ties = ranks.ties[j];
      const nodes = tieNodes(ties);
      for (const u of nodes) {
        const here = beaten[binOfWins(ranks.wins[j] + u)];
        row.forEach((score, c) => {
          if (score < truth) here[c % nGroups] += weight[j] / nodes.length;
          else if (score === truth && c !== labels[j]) here[c % nGroups] += weight[j] / nodes.length * u / ties;
        });
      }
    });
    ranks.distractors = { beaten, wins: representative, nGroups };
    return ranks;
  }

  // Deviations of a class-balanced mean when one group of classes is left out. kept[bin] is the function averaged, at
  // that bin's wins among k1 - 1 classes; lost[bin] the same with one win fewer. Both hold vectors.
  function jackknifeDeviations(ranks, distractors, kept, lost) {
    const k1 = ranks.nClasses;
    const { beaten, nGroups } = distractors;
    const { binOfWins } = binsOfWins(k1);
    const size = kept[0].length;
    const base = table(nGroups, size);
    const weight = pointWeights(ranks);
    ranks.wins.forEach((wins, j) => {
      const nodes = tieNodes(ranks.ties[j]);
      for (const u of nodes) {
        const value = kept[binOfWins(wins + u)];
        for (let f = 0; f < size; f++) base[ranks.labels[j] % nGroups][f] += weight[j] / nodes.length * value[f];
      }
    });
    const p = ranks.nTested;
    const { tested, size: classes } = groupTotals(ranks, nGroups);
    const deviation = table(nGroups, size);
    for (let f = 0; f < size; f++) {
      const all = base.reduce((total, row) => total + row[f], 0);
      const effect = Array.from({ length: nGroups }, (_, g) =>
        beaten.reduce((part, row, bin) => part + row[g] * (lost[bin][f] - kept[bin][f]), 0));
      const mean = effect.reduce((a, b) => a + b, 0) / (p * (k1 - 1));
      for (let g = 0; g < nGroups; g++) {
        const others = classes[g] - tested[g];
        const value = effect[g] - base[g][f] + tested[g] * all / p - (tested[g] * (p - 1) + others * p) * mean;
        // left out as a truth, a class makes the others count for more
        const factor = (tested[g] > 0 ? Math.sqrt(p * (p - 1)) : p) * Math.sqrt((k1 - 1) / k1);
        deviation[g][f] = p > 1 ? value / factor : NaN;
      }
    }
    return deviation;
  }

  explorer.parts.push(part);
  Object.assign(explorer, { jackknifeDeviations, ranksOfScores });
})();
