// The first page: the explorer's curve for its example, real results on 100 Telugu glyphs, and one slider.
(function () {
  "use strict";

  const explorer = window.classexExplorer;
  const LARGEST = 468; // syllables in the data set: there are no more to extrapolate to
  const holder = document.getElementById("classex-front-chart");
  const slider = document.getElementById("classex-front-slider");
  const said = document.getElementById("classex-front-said");
  const percent = (share) => `${(100 * share).toPrecision(share < 0.1 ? 1 : 2)} %`;
  const nearby = (value) => {
    const unit = 10 ** Math.floor(Math.log10(value) + 1e-9);
    return Math.min(Math.round(value / unit * 2) / 2 * unit, LARGEST);
  };

  function fitExample() {
    const { text, kind, nClasses } = explorer.examples.wins;
    return explorer.fitProcess(explorer.parseRanks(text, kind, nClasses));
  }

  function start() {
    const fit = fitExample();
    const tested = fit.ranks.nClasses;
    const sizes = Array.from({ length: 61 }, (_, i) => 2 * (LARGEST / 2) ** (i / 60));
    const curve = explorer.predict(fit, sizes);
    const seen = [...new Set(Array.from({ length: 9 }, (_, i) => Math.round(2 * (tested / 2) ** (i / 8))))];
    const observed = explorer.observedAccuracy(fit.ranks, seen);
    const atTest = observed[observed.length - 1];

    function draw() {
      const reached = tested * (LARGEST / tested) ** (slider.value / 100);
      const size = Number(slider.value) === 100 ? LARGEST : nearby(reached);
      const [{ value, low, high }] = explorer.predict(fit, [size]);
      const name = Math.round(size).toLocaleString("en-GB");
      said.innerHTML = `<strong>${percent(value)}</strong> of the answers right among ${name} `
        + `(${percent(low)} to ${percent(high)} with 95 % confidence)`;
      slider.setAttribute("aria-valuetext", `${name} classes`);
      explorer.drawChart(holder, {
        x: explorer.logAxis(1, LARGEST),
        y: explorer.unitAxis(),
        labels: { x: "number of classes", y: "average accuracy" },
        description: `Accuracy falls with the number of classes: ${percent(atTest)} with ${tested}, `
          + `where it was tested, and ${percent(value)} with ${name}.`,
        series: [
          { kind: "line", name: "chance", points: sizes.map((k) => [k, 1 / k]) },
          { kind: "band", name: "interval", points: sizes.map((k, i) => [k, curve[i].low, curve[i].high]) },
          { kind: "line", name: "curve", points: sizes.map((k, i) => [k, curve[i].value]) },
          { kind: "dots", name: "observed", points: seen.map((k, i) => [k, observed[i]]) },
          { kind: "line", name: "here", points: [[size, 0], [size, value]] },
        ],
      });
    }

    document.getElementById("classex-front-tested").textContent =
      `A recogniser of Telugu characters was tested on ${tested} of them and is right in ${percent(atTest)} of the cases.`;
    slider.addEventListener("input", draw);
    new ResizeObserver(draw).observe(holder);
    document.getElementById("classex-front").hidden = false;
    draw();
  }

  start();
}());
