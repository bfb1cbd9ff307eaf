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
    const [few, many] = [`${prefix}top`, `${prefix}among`].map((id) => field(id).value.replace(/[.,'’\s](?=\d{3}(\D|$))/g, ""));
    const [m, n] = [Number(few), Number(many)];
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
