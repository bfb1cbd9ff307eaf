// Limits of one accuracy for every distribution of the favourability, given another: the convex hull of a curve, as in
// classex.distributions.restated_limits. A setting is [number of classes, length of the list].
(function () {
  "use strict";

  const explorer = window.classexExplorer;
  const { logNdtr, ndtri } = explorer;
  const WIDEST = 37; // probit of the favourability beyond which 1 - u is no normal number
  const HALVINGS = 60;

  // Logarithm of the number of ways to choose, from term to term: a difference of logarithms of factorials of a
  // thousand million keeps too few digits
  function logWays(n, count) {
    const ways = [0];
    for (let i = 1; i <= count; i++) ways.push(ways[i - 1] + Math.log((n - i) / i));
    return ways;
  }

  // Distances of a point of favourability Phi(w) from both ends of the curve in one setting: the probability that it is
  // among the m best of n and the probability that it is not, both to full relative precision
  function chances([n, m]) {
    const ways = logWays(n, m);
    return (w) => {
      const [won, lost] = [logNdtr(w), logNdtr(-w)];
      const term = (way, i) => Math.exp(way + i * lost + (n - 1 - i) * won);
      let success = 0;
      for (let i = 0; i < m; i++) success += term(ways[i], i);
      if (success < 0.5) return { success, failure: 1 - success };
      let failure = 0;
      let way = ways[m];
      for (let i = m; i < n; i++) {
        const more = term(way, i);
        failure += more;
        if (more <= 1e-17 * failure) break;
        way += Math.log((n - 1 - i) / (i + 1));
      }
      return { success: 1 - failure, failure };
    };
  }

  // The w between two ends at which a condition that holds at the lower one ceases to hold
  function lastWhere(holds, low, high) {
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2;
      if (holds(middle)) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  // One side of the hull as a function of the reported accuracy, and of its w if that is known: the largest (sense 1) or
  // least (-1) accuracy in the wanted setting. It is a chord from an end of the curve to a point of contact, and beyond
  // that the curve.
  function side(reported, wanted, sense) {
    const [x, y] = [chances(reported), chances(wanted)];
    const [[n, m], [k, best]] = [reported, wanted];
    const [rise, fall] = [k - best - (n - m), best - m];
    const turns = rise * fall > 0;
    const fromZero = (sense > 0) !== (turns && rise < 0);
    const far = fromZero ? "success" : "failure";
    let contact = rise > fall ? WIDEST : -WIDEST;
    if (turns) {
      const ways = Math.log(best / m) + logWays(k, best).at(-1) - logWays(n, m).at(-1);
      // logarithm of the slope of the curve over the slope of the chord
      const excess = (w) => rise * logNdtr(w) + fall * logNdtr(-w) + ways + Math.log(x(w)[far] || Number.MIN_VALUE)
        - Math.log(y(w)[far] || Number.MIN_VALUE);
      const turn = ndtri(rise / (rise + fall));
      const [low, high] = fromZero ? [turn, WIDEST] : [-WIDEST, turn];
      contact = lastWhere((w) => sense * excess(w) > 0, low, high);
    }
    const most = x(contact)[far];
    return (a, known) => {
      if (a === 0 || a === 1) return a;
      const rest = fromZero ? a : 1 - a;
      const w = rest < most ? contact : known ?? lastWhere((at) => (a < 0.5 ? x(at).success < a : x(at).failure > 1 - a), -WIDEST, WIDEST);
      const reached = y(w)[far] * (rest < most ? rest / most : 1);
      return fromZero ? reached : 1 - reached;
    };
  }

  // Both sides of the hull, and for a picture the curve of points that are all alike and the hull, [x, least, largest]
  function restated(reported, wanted) {
    const [x, y] = [chances(reported), chances(wanted)];
    const [least, largest] = [-1, 1].map((sense) => side(reported, wanted, sense));
    const nodes = [-WIDEST, ...Array.from({ length: 361 }, (_, i) => (i - 180) / 20), WIDEST];
    const curve = nodes.map((w) => [x(w).success, y(w).success]);
    return { least, largest, curve, hull: curve.map(([a], i) => [a, least(a, nodes[i]), largest(a, nodes[i])]) };
  }

  Object.assign(explorer, { restated });
})();

// The panel that restates a published accuracy: reads the fields, writes one sentence, draws the hull.
(function () {
  "use strict";

  const explorer = window.classexExplorer;
  const { format } = explorer;
  const REPORT = ["top", "among", "reported", "error", "wanted-top", "wanted-among"];
  const LONGEST = 1000; // list whose terms are summed in a moment
  const QUANTILE = explorer.ndtri(0.975);
  const field = (id) => document.getElementById(`explorer-${id}`);

  // A share such as 0.161, 0,161 or 16.1 %; where nothing is written, the placeholder
  function share(id, name) {
    const text = field(id).value.trim() || field(id).placeholder || "nothing";
    const value = Number(text.replace(",", ".").replace(/\s*%$/, "")) / (text.endsWith("%") ? 100 : 1);
    if (!(value >= 0 && value <= 1)) throw new Error(`The ${name} must be from 0 to 1, or a percentage such as 16.1 %, not “${text}”.`);
    return value;
  }

  // Number of classes and length of the list
  function setting(prefix, name) {
    const [few, many] = [`${prefix}top`, `${prefix}among`].map((id) => field(id).value);
    const [m, n] = [few, many].map(explorer.asCount);
    if (!(Number.isInteger(m) && Number.isInteger(n) && m >= 1 && m < n && m <= LONGEST && n <= 1e9)) {
      throw new Error(`${name}: top must be a whole number from 1 to ${LONGEST} below the number of classes, which is at most `
        + `a thousand million, not “${few} of ${many}”.`);
    }
    return [n, m];
  }

  const named = ([n, m]) => `top-${m} accuracy with ${n.toLocaleString("en-GB")} classes`;

  function update() {
    const message = field("restated-message");
    message.textContent = "";
    field("restated").textContent = "";
    field("hull").replaceChildren();
    try {
      restate();
    } catch (problem) {
      message.textContent = problem.message;
    }
  }

  function restate() {
    const [reported, wanted] = [setting("", "Reported"), setting("wanted-", "Wanted")];
    const [value, error] = [share("reported", "accuracy"), share("error", "standard error")];
    const [from, to] = [Math.max(value - QUANTILE * error, 0), Math.min(value + QUANTILE * error, 1)];
    const { least, largest, curve, hull } = explorer.restated(reported, wanted);
    const [low, high] = [least(from), largest(to)];
    const given = field("reported").value.trim() + (error > 0 ? ` ± ${field("error").value.trim()}` : "");
    field("restated").textContent = `If the ${named(reported)} is ${given}, the ${named(wanted)} lies between `
      + `${format(low, 3)} and ${format(high, 3)}${error > 0 ? " (95\u00a0% confidence)" : ""}.`;
    explorer.drawChart(field("hull"), {
      x: explorer.unitAxis(),
      y: explorer.unitAxis(),
      labels: { x: named(reported), y: named(wanted) },
      description: `Possible pairs of both accuracies: a curve and its convex hull. ${field("restated").textContent}`,
      series: [
        { kind: "band", name: "interval", points: hull },
        { kind: "line", name: "axis", points: curve },
        { kind: "dots", name: "limit", points: [[from, low], [to, high]] },
      ],
    });
  }

  function startRestating() {
    for (const id of REPORT) field(id).addEventListener("input", update);
    // it stands below the first screen and can wait
    window.addEventListener("load", () => new ResizeObserver(update).observe(field("hull").parentElement));
  }

  Object.assign(explorer, { REPORT, startRestating });
})();
