// The densities exp(sum of lambda_k t^(k-1)) on [0, 1], their accuracies and their information: classex.accuracy_ceiling,
// information_bound, fano_bound, information.extremal_density.
(function () {
  "use strict";

  const { inner, panelsNearOne } = window.classexExplorer;
  const STEPS = 200;
  const nodes = panelsNearOne();
  const width = nodes.map((node) => node.width);
  const known = new Map();

  const lossAt = (u, v, k) => -Math.expm1((k - 1) * (v < 0.5 ? Math.log1p(-v) : Math.log(u)));

  // 1 - t^(k-1) at the nodes
  function lossOf(k) {
    if (!known.has(k)) known.set(k, Float64Array.from(nodes, ({ u, v }) => lossAt(u, v, k)));
    return known.get(k);
  }

  // Of the density proportional to exp(-sum of multiplier * loss): the logarithm of its integral, and the mean and the
  // covariance of the losses
  function moments(multipliers, losses) {
    let total = 0;
    const mean = losses.map(() => 0);
    const square = losses.map(() => losses.map(() => 0));
    for (let i = 0; i < width.length; i++) {
      let exponent = 0;
      for (let a = 0; a < losses.length; a++) exponent -= multipliers[a] * losses[a][i];
      const weight = width[i] * Math.exp(exponent);
      total += weight;
      for (let a = 0; a < losses.length; a++) {
        mean[a] += weight * losses[a][i];
        for (let b = 0; b <= a; b++) square[a][b] += weight * losses[a][i] * losses[b][i];
      }
    }
    const covariance = square.map((row, a) => row.map((_, b) =>
      square[Math.max(a, b)][Math.min(a, b)] / total - mean[a] * mean[b] / total ** 2));
    return { logNormaliser: Math.log(total), mean: mean.map((one) => one / total), covariance };
  }

  // The c of Q_c at which a function rises to a target: Newton in log c, kept in a bracket, which is halved where steps
  // that are not yet small do not halve, because they could go to and fro. `read` takes c and the moments, and gives the
  // value and its slope in log c
  function concentration(k, target, read) {
    let [low, high, x, last] = [-40, 40, 0, 80];
    for (let i = 0; i < STEPS && high - low > 1e-15 * (1 + Math.abs(x)); i++) {
      const c = Math.exp(x);
      const { value, slope } = read(c, moments([c], [lossOf(k)]));
      if (value < target) low = x;
      else high = x;
      const next = x + (target - value) / slope;
      if (Math.abs(next - x) < 1e-15 * (1 + Math.abs(x))) break;
      const nearer = Math.abs(next - x) < Math.max(last / 2, 1e-6);
      const there = nearer && next > low && next < high ? next : (low + high) / 2;
      [last, x] = [Math.abs(there - x), there];
    }
    return Math.exp(x);
  }

  const informationAt = (c, { logNormaliser, mean }) => -logNormaliser - c * mean[0];

  // The extremal density of the ceiling: its c, its information and its accuracy with k classes
  function extremal(c, k) {
    const found = moments([c], [lossOf(k)]);
    return { c, information: informationAt(c, found), accuracy: 1 - found.mean[0], logNormaliser: found.logNormaliser };
  }

  // The one that has so many nats
  function extremalOf(nats, k) {
    if (!(nats > 0)) return extremal(0, k);
    return extremal(concentration(k, nats, (c, found) => (
      { value: informationAt(c, found), slope: c * c * found.covariance[0][0] })), k);
  }

  // The one that has this accuracy
  function extremalAt(accuracy, k) {
    if (!(accuracy > 1 / k)) return extremal(0, k);
    return extremal(concentration(k, accuracy, (c, { mean, covariance }) => (
      { value: 1 - mean[0], slope: c * covariance[0][0] })), k);
  }

  // Density proportional to exp(sum of multiplier * t^(k-1)) where 1 - t = v
  function density(v, multipliers, sizes, logNormaliser) {
    return Math.exp(-inner(sizes.map((k) => lossAt(1 - v, v, k)), multipliers) - logNormaliser);
  }

  const times = (x, log) => (x > 0 ? x * log : 0);

  function fano(accuracy, k) {
    const [a, e] = [Math.max(accuracy, 1 / k), Math.min(1 - accuracy, 1 - 1 / k)];
    return Math.log(k) + times(a, Math.log(a)) + times(e, Math.log(e / (k - 1)));
  }

  // The largest accuracy that Fano's inequality allows
  function fanoCeiling(nats, k) {
    let [low, high] = [1 / k, 1];
    if (nats >= Math.log(k)) return 1;
    for (let i = 0; i < STEPS && high - low > 1e-16; i++) {
      const middle = (low + high) / 2;
      if (fano(middle, k) < nats) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  Object.assign((window.classexMoving ??= {}), { density, extremalAt, extremalOf, fano, fanoCeiling, lossOf, moments });
}());
