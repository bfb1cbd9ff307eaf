// The first page: 500 words that were tested, the curve predicted from them, and the accuracy with all 32,923.
(function () {
  "use strict";

  const explorer = window.classexExplorer;
  const { text, kind, nClasses, truth } = explorer.examples.words;
  const holder = document.getElementById("classex-front-chart");
  const slider = document.getElementById("classex-front-slider");
  const said = document.getElementById("classex-front-said");
  const percent = (share) => `${Math.round(100 * share)}\u00a0%`;
  const named = (k) => k.toLocaleString("en-GB");

  function start() {
    const ranks = explorer.parseRanks(text, kind, nClasses);
    const sizes = truth.map(([k]) => k);
    const largest = sizes[sizes.length - 1];
    const curve = explorer.predict(explorer.fitProcess(ranks), sizes);
    const seen = [...new Set(Array.from({ length: 10 }, (_, i) => Math.round(2 * (nClasses / 2) ** (i / 9))))];
    const observed = explorer.observedAccuracy(ranks, seen);
    const atTest = observed[observed.length - 1];
    slider.max = sizes.length - 1;
    slider.value = sizes.length - 1;

    function draw() {
      const at = Number(slider.value);
      const { value, low, high } = curve[at];
      const name = named(sizes[at]);
      said.innerHTML = `<strong>${percent(value)}</strong> predicted with ${name} definitions `
        + `(95 % interval ${percent(low)} to ${percent(high)}). <em>Measured: ${percent(truth[at][1])}.</em>`;
      slider.setAttribute("aria-valuetext", `${name} definitions`);
      explorer.drawChart(holder, {
        x: explorer.logAxis(1, largest),
        y: explorer.unitAxis(),
        labels: { x: "number of classes", y: "average accuracy" },
        description: `Accuracy falls with the number of classes: ${percent(atTest)} with the ${nClasses} that were tested. `
          + `With ${name}, ${percent(value)} is predicted and ${percent(truth[at][1])} is measured.`,
        series: [
          { kind: "band", name: "interval", points: sizes.map((k, i) => [k, curve[i].low, curve[i].high]) },
          { kind: "line", name: "curve", points: sizes.map((k, i) => [k, curve[i].value]) },
          { kind: "line", name: "truth", points: truth },
          { kind: "dots", name: "observed", points: seen.map((k, i) => [k, observed[i]]) },
          { kind: "line", name: "here", points: [[sizes[at], 0], [sizes[at], value]] },
        ],
      });
    }

    document.getElementById("classex-front-tested").textContent =
      `Given a sentence, a program picks the dictionary definition that it illustrates. Tested with ${nClasses} `
      + `definitions, it picks the right one ${percent(atTest)} of the time.`;
    slider.addEventListener("input", draw);
    new ResizeObserver(draw).observe(holder);
    document.getElementById("classex-front").hidden = false;
    draw();
  }

  start();
}());
