// Wins as binomial data: collapsed counts, and their probability when the probit of the favourability is normal.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { LOG_ROOT_2PI, hazard, logChoose, logNdtr, ndtri } = explorer;
  const MOST_GROUPS = 509;
  const MOST_TIE_NODES = 33;
  const EXACT_LOSSES = 128;
  const WIDE = 2;

  // Bin of every number of wins and the wins that stand for it: single values up to 509 classes; beyond, losses from
  // 128 on fall into bins that widen geometrically
  function binsOfWins(nClasses) {
    let starts = Array.from({ length: nClasses > MOST_GROUPS ? EXACT_LOSSES : nClasses }, (_, losses) => losses);
    if (nClasses > MOST_GROUPS) {
      for (let i = 0; i < EXACT_LOSSES; i++) {
        starts.push(Math.ceil(EXACT_LOSSES * (nClasses / EXACT_LOSSES) ** (i / EXACT_LOSSES)));
      }
      starts = [...new Set(starts)].filter((losses) => losses < nClasses);
    }
    const binOfLosses = new Int32Array(nClasses);
    const representative = starts.map((start, bin) => {
      const end = bin + 1 < starts.length ? starts[bin + 1] : nClasses;
      binOfLosses.fill(bin, start, end);
      return nClasses - 1 - roundHalfEven(0.5 * (start + end - 1));
    });
    return { binOfWins: (wins) => binOfLosses[nClasses - 1 - wins], representative };
  }

  function roundHalfEven(x) {
    const floor = Math.floor(x);
    if (x - floor !== 0.5) return Math.round(x);
    return floor % 2 === 0 ? floor : floor + 1;
  }

  // The numbers of wins a point with ties may have, equally likely, at most 33 of them
  function tieNodes(ties) {
    const count = Math.min(ties + 1, MOST_TIE_NODES);
    return Array.from({ length: count }, (_, node) => Math.floor(node * ties / Math.max(count - 1, 1)));
  }

  // Ranks with how many classes have test points; balanced: points of one class share a total weight of 1
  function complete(ranks, balanced = true) {
    return Object.assign(ranks, { balanced, nTested: new Set(ranks.labels).size });
  }

  // Weight of every test point; they add up to the number of classes with test points
  function pointWeights(ranks) {
    if (!ranks.balanced) return ranks.labels.map(() => ranks.nTested / ranks.labels.length);
    const count = new Float64Array(ranks.nClasses);
    for (const label of ranks.labels) count[label] += 1;
    return ranks.labels.map((label) => 1 / count[label]);
  }

  // Weight of each group of classes as truths, and how many classes each group has
  function groupTotals(ranks, nGroups) {
    const tested = new Float64Array(nGroups);
    const weight = pointWeights(ranks);
    ranks.labels.forEach((label, j) => {
      tested[label % nGroups] += weight[j];
    });
    const size = Array.from({ length: nGroups }, (_, g) => Math.floor((ranks.nClasses - 1 - g) / nGroups) + 1);
    return { tested, size };
  }

  // Collapse ranks to the distinct numbers of wins and the share of the points with each; a point with ties is shared
  // out evenly over all the wins that breaking them at random may give
  function collapse(ranks) {
    const { binOfWins, representative } = binsOfWins(ranks.nClasses);
    const weight = pointWeights(ranks);
    const share = new Float64Array(representative.length);
    const known = new Map(); // many points have the same wins and ties
    ranks.wins.forEach((wins, j) => {
      const code = wins * ranks.nClasses + ranks.ties[j];
      known.set(code, (known.get(code) ?? 0) + weight[j] / ranks.nTested);
    });
    for (const [code, whole] of known) {
      const ties = code % ranks.nClasses;
      for (let u = 0; u <= ties; u++) share[binOfWins(Math.floor(code / ranks.nClasses) + u)] += whole / (ties + 1);
    }
    const kept = representative.map((_, bin) => bin).filter((bin) => share[bin] > 0);
    return {
      values: kept.map((bin) => representative[bin]),
      weight: kept.map((bin) => share[bin]),
      nWrong: ranks.nClasses - 1,
      nPoints: ranks.wins.length,
    };
  }

  // First and minus the second derivative of the logarithm of the integrand at w
  function slopeAt(w, wins, losses, mu, nu) {
    const up = hazard(-w);
    const down = hazard(w);
    // the binomial part is never negative, but far out it is a difference of large numbers
    const binomial = Math.max(wins * up * (w + up) + losses * down * (down - w), 0);
    return [wins * up - losses * down - (w - mu) / (nu * nu), binomial + 1 / (nu * nu)];
  }

  // Bracket and first guess of the mode of Phi(w)^wins Phi(-w)^losses phi((w - mu) / nu)
  function firstGuess(wins, losses, mu, nu) {
    const rising = wins * hazard(-mu) > losses * hazard(mu);
    const low = rising ? mu : Math.min(mu - 1, -39);
    const high = rising ? Math.max(mu + 1, 39) : mu;
    const share = (wins + 0.5) / (wins + losses + 1);
    const likeliest = ndtri(share);
    const weight = nu * nu * (wins + losses + 1) * Math.exp(-likeliest * likeliest - 2 * LOG_ROOT_2PI)
      / (share * (1 - share));
    return { wins, losses, low, high, w: Math.min(Math.max((mu + weight * likeliest) / (1 + weight), low), high) };
  }

  // Modes for several numbers of wins, each to 1/20 of its width at least: Newton's method kept in a bracket
  function modesOf(values, nWrong, mu, nu) {
    const searches = values.map((wins) => firstGuess(wins, nWrong - wins, mu, nu));
    for (let i = 0; i < 60; i++) {
      let longest = 0;
      for (const search of searches) {
        const [slope, curvature] = slopeAt(search.w, search.wins, search.losses, mu, nu);
        if (slope > 0) search.low = search.w;
        else search.high = search.w;
        let next = search.w + slope / curvature;
        if (!(next >= search.low && next <= search.high)) next = 0.5 * (search.low + search.high);
        longest = Math.max(longest, Math.abs(next - search.w) * Math.sqrt(curvature));
        search.w = next;
      }
      if (longest < 0.05) break;
    }
    return searches.map(({ w }) => w);
  }

  // Log-probability of wins among nWrong, and nodes w with their shares of the law of the probit given the wins: a sum
  // around the mode, over nodes spaced like sinh in units of the width that the curvature there implies
  function nodesAround(mode, wins, nWrong, mu, nu, nNodes) {
    const scale = 1 / Math.sqrt(slopeAt(mode, wins, nWrong - wins, mu, nu)[1]);
    const width = 7.4 / (nNodes - 1);
    const w = [];
    const terms = [];
    for (let i = 0; i < nNodes; i++) {
      const step = -3.7 + i * width;
      const at = mode + scale * Math.sinh(step);
      w.push(at);
      terms.push((wins > 0 ? wins * logNdtr(at) : 0) + (wins < nWrong ? (nWrong - wins) * logNdtr(-at) : 0)
        - 0.5 * ((at - mu) / nu) ** 2 + Math.log(Math.cosh(step) * width));
    }
    const top = Math.max(...terms);
    const share = terms.map((term) => Math.exp(term - top));
    const total = share.reduce((sum, one) => sum + one, 0);
    const value = Math.log(total * scale / nu) + top - LOG_ROOT_2PI + logChoose(nWrong, wins);
    return { value, w, share: share.map((one) => one / total) };
  }

  // Those nodes for every number of wins in values, more of them where the law is wide
  function posteriorNodes(values, nWrong, mu, nu, nNodes = 75) {
    const modes = modesOf(values, nWrong, mu, nu);
    const count = nNodes * (nu > WIDE ? Math.ceil(nu) : 1);
    return values.map((wins, i) => nodesAround(modes[i], wins, nWrong, mu, nu, count));
  }

  // log C(n, r) int Phi(w)^r Phi(-w)^(n-r) phi((w - mu) / nu) / nu dw and its derivatives in mu and log nu, for every r
  // in values
  function logPmf(values, nWrong, mu, nu, nNodes = 75) {
    return posteriorNodes(values, nWrong, mu, nu, nNodes).map(({ value, w, share }) => {
      let byMu = 0;
      let byLogNu = 0;
      w.forEach((at, i) => {
        const z = (at - mu) / nu;
        byMu += share[i] * z;
        byLogNu += share[i] * (z * z - 1);
      });
      return { value, gradient: [byMu / nu, byLogNu] };
    });
  }

  explorer.parts.push(part);
  Object.assign(explorer, {
    MOST_GROUPS, binsOfWins, collapse, complete, groupTotals, logPmf, pointWeights, roundHalfEven, tieNodes,
  });
})();
