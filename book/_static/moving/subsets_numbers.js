// One test point from each class, the score of class l at the point of class i in scores[i][l].
(function () {
  "use strict";

  const { complete, observedAccuracy, ranksOfScores } = window.classexExplorer;
  const numbered = (n) => Array.from({ length: n }, (_, i) => i);

  // Accuracy on the chosen classes alone
  function accuracyAmong(scores, chosen) {
    const own = chosen.map((i) => chosen.map((l) => scores[i][l]));
    return observedAccuracy(ranksOfScores(own, numbered(chosen.length)), [chosen.length])[0];
  }

  // Wins and ties of each truth, the share of its subsets of k classes in which it is right, and the mean of the shares
  function bySize(scores, k) {
    const { wins, ties, nClasses } = ranksOfScores(scores, numbered(scores.length));
    const shares = wins.map((_, i) =>
      observedAccuracy(complete({ wins: [wins[i]], ties: [ties[i]], labels: [i], nClasses }), [k])[0]);
    return { wins, ties, shares, mean: shares.reduce((sum, share) => sum + share, 0) / shares.length };
  }

  // All subsets of k of the numbers 0, 1, ..., n - 1
  function subsetsOf(n, k, from = 0) {
    if (k === 0) return [[]];
    return numbered(n).slice(from)
      .flatMap((first) => subsetsOf(n, k - 1, first + 1).map((rest) => [first, ...rest]));
  }

  Object.assign((window.classexMoving ??= {}), { accuracyAmong, bySize, subsetsOf });
}());
