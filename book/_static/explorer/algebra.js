// Linear algebra that the laws need: symmetric systems, least squares with coefficients that are not negative, and lines.
// A matrix is a list of rows.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;

  const ROUNDING = 1e-15;

  const inner = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0);

  // Lower triangle L with L L' = matrix, which must be positive definite
  function cholesky(matrix) {
    const lower = matrix.map((row) => new Float64Array(row.length));
    for (let i = 0; i < matrix.length; i++) {
      for (let j = 0; j <= i; j++) {
        let rest = matrix[i][j];
        for (let m = 0; m < j; m++) rest -= lower[i][m] * lower[j][m];
        lower[i][j] = i === j ? Math.sqrt(rest) : rest / lower[j][j];
      }
    }
    return lower;
  }

  // The x with L x = right
  function forward(lower, right) {
    const x = Array.from(right);
    for (let i = 0; i < x.length; i++) {
      for (let m = 0; m < i; m++) x[i] -= lower[i][m] * x[m];
      x[i] /= lower[i][i];
    }
    return x;
  }

  // The x with L L' x = right
  function solveCholesky(lower, right) {
    const x = forward(lower, right);
    for (let i = x.length - 1; i >= 0; i--) {
      for (let m = i + 1; m < x.length; m++) x[i] -= lower[m][i] * x[m];
      x[i] /= lower[i][i];
    }
    return x;
  }

  // Value at x of the line through points with ascending places, constant beyond the ends
  function interpolate(x, places, values) {
    const last = places.length - 1;
    if (!(x > places[0])) return values[0];
    if (x >= places[last]) return values[last];
    let low = 0;
    let high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (places[middle] <= x) low = middle;
      else high = middle;
    }
    return values[low] + (values[high] - values[low]) / (places[high] - places[low]) * (x - places[low]);
  }

  // Least squares by Householder reflections, for a set of columns that others join and leave
  function reflections(columns, target) {
    const kept = []; // of every column in the set: its number, its mirror, its part above, and the target before it
    let aim = Float64Array.from(target);

    // x less its part along a mirror, from one row on
    function reflect({ mirror, scale }, from, x) {
      let along = 0;
      for (let i = from; i < x.length; i++) along += mirror[i] * x[i];
      along *= scale;
      for (let i = from; i < x.length; i++) x[i] -= along * mirror[i];
    }

    function append(column) {
      const mirror = Float64Array.from(columns[column]);
      kept.forEach((one, row) => reflect(one, row, mirror));
      const from = kept.length;
      let square = 0;
      for (let i = from; i < mirror.length; i++) square += mirror[i] * mirror[i];
      const corner = Math.sqrt(square) * (mirror[from] > 0 ? -1 : 1);
      const above = [...mirror.subarray(0, from), corner];
      mirror[from] -= corner;
      const one = { column, mirror, scale: -1 / (corner * mirror[from]), above, aim };
      aim = aim.slice();
      reflect(one, from, aim);
      kept.push(one);
    }

    // Put the columns of the set in order again from some place on, others in their stead
    function redo(first, columnsAfter) {
      if (first < kept.length) aim = kept[first].aim;
      kept.length = first;
      columnsAfter.forEach(append);
    }

    // The last columns come first: they are the largest where the rows are
    function add(column) {
      const first = kept.filter((one) => one.column > column).length;
      redo(first, [column, ...kept.slice(first).map((one) => one.column)]);
    }

    function remove(leaving) {
      const first = kept.findIndex(({ column }) => leaving.includes(column));
      redo(first, kept.slice(first).map(({ column }) => column).filter((column) => !leaving.includes(column)));
    }

    // Best coefficients of the columns in the set, of any sign
    function solve() {
      const x = new Map();
      for (let j = kept.length - 1; j >= 0; j--) {
        let rest = aim[j];
        for (let m = j + 1; m < kept.length; m++) rest -= kept[m].above[j] * x.get(kept[m].column);
        x.set(kept[j].column, rest / kept[j].above[j]);
      }
      return x;
    }

    return { add, remove, solve };
  }

  // Least squares with coefficients >= 0, by the active sets of Lawson and Hanson
  function nonnegativeLeastSquares(columns, target) {
    // rows may be of very different sizes: reflections are exact for each of them only if the largest come first
    const size = target.map((value, i) => Math.max(Math.abs(value), ...columns.map((column) => Math.abs(column[i]))));
    const order = size.map((_, i) => i).sort((a, b) => size[b] - size[a]);
    const sorted = columns.map((column) => Float64Array.from(order, (i) => column[i]));
    const aim = Float64Array.from(order, (i) => target[i]);
    const set = reflections(sorted, aim);
    const x = columns.map(() => 0);
    for (let round = 0; round < 10 * columns.length; round++) {
      const slope = slopesAt(sorted, aim, x);
      const better = slope.map((_, j) => j).filter((j) => x[j] === 0 && slope[j] > 0);
      const next = better.sort((a, b) => slope[b] - slope[a]).find((j) => {
        set.add(j);
        const helps = set.solve().get(j) > 0; // rounding alone may have made the slope positive
        if (!helps) set.remove([j]);
        return helps;
      });
      if (next === undefined) break;
      settle(set, x);
    }
    return x;
  }

  // Go to the best coefficients of the set; columns whose coefficients would not be positive leave it on the way
  function settle(set, x) {
    for (;;) {
      const wanted = set.solve();
      const negative = [...wanted.keys()].filter((j) => wanted.get(j) <= 0);
      if (negative.length === 0) {
        for (const [j, value] of wanted) x[j] = value;
        return;
      }
      const share = (j) => x[j] / (x[j] - wanted.get(j));
      const step = Math.min(...negative.map(share));
      const leaving = negative.filter((j) => share(j) === step);
      for (const [j, value] of wanted) x[j] += step * (value - x[j]);
      for (const j of leaving) x[j] = 0;
      set.remove(leaving);
    }
  }

  // By how much a unit of each column would lessen half the squared distance; 0 where that may be rounding
  function slopesAt(columns, target, x) {
    const rest = Float64Array.from(target);
    const noise = Float64Array.from(target, Math.abs);
    x.forEach((value, j) => {
      if (value === 0) return;
      for (let i = 0; i < rest.length; i++) {
        rest[i] -= columns[j][i] * value;
        noise[i] += Math.abs(columns[j][i] * value);
      }
    });
    return columns.map((column) => {
      let [slope, least] = [0, 0];
      for (let i = 0; i < rest.length; i++) {
        slope += column[i] * rest[i];
        least += Math.abs(column[i]) * noise[i];
      }
      return slope > ROUNDING * least ? slope : 0;
    });
  }

  explorer.parts.push(part);
  Object.assign(explorer, { cholesky, forward, inner, interpolate, nonnegativeLeastSquares, solveCholesky });
})();
