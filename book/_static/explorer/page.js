// The explorer page: reads the controls, draws both charts, fills the table. Files and pastes go through the box (box.js).
(function () {
  "use strict";

  const explorer = window.classexExplorer;
  const { format } = explorer;
  const LARGEST = 1e9;
  const CURVE = [...new Set(Array.from({ length: 121 }, (_, i) => Math.round(2 * (LARGEST / 2) ** (i / 120))))];
  const byId = (id) => document.getElementById(`explorer-${id}`);
  const chosen = (name) => document.querySelector(`input[name="explorer-${name}"]:checked`).value;
  const number = (id) => Number(byId(id).value);

  const box = window.classexBox;
  let fit = null; // what was fitted to the present results
  let pasted = false; // whether the present results were pasted, and the number of classes stated for them
  let shown = []; // what the table shows: [number of classes, accuracy and interval]

  function law() {
    const mode = chosen("law");
    if (mode === "information") return explorer.information(number("nats"));
    if (mode === "toy") return explorer.toy(number("rho"));
    if (mode === "data") return fit === null ? null : fittedLaw();
    return explorer.probitNormal(number("mu"), number("nu"));
  }

  function fittedLaw() {
    return fit.law === "process" ? explorer.nodesLaw(fit.nodes, fit.weight) : explorer.probitNormal(fit.mu, fit.nu);
  }

  // An estimate to the second digit of its standard error
  const estimate = (value, error) => value.toFixed(Math.min(Math.max(1 - Math.floor(Math.log10(error)), 0), 6));

  function describe() {
    const mode = chosen("law");
    if (mode === "probit") {
      return `The favourability has median ${format(explorer.ndtr(number("mu")))}.`;
    }
    if (mode === "information") {
      return `Information of ${number("nats")} nats is ${format(number("nats") / Math.LN2)} bits; `
        + `μ = √(2I) = ${format(Math.sqrt(2 * number("nats")))}.`;
    }
    if (mode === "toy") {
      return `The observation holds −½ log(1 − ρ²) = ${format(-0.5 * Math.log1p(-(number("rho") ** 2)))} nats `
        + "about its class.";
    }
    if (fit === null) return "";
    const { mu, nu, logLikelihood, covariance } = fit;
    const tested = `${fit.nPoints.toLocaleString("en-GB")} test points, ${fit.nClasses.toLocaleString("en-GB")} classes`;
    if (fit.law === "process") return `${tested}; the library's default.`;
    const errors = covariance.map((row, i) => Math.sqrt(row[i]));
    const spread = fit.law === "one" ? "ν held at 1"
      : `ν = ${estimate(nu, nu * errors[1])} (${(nu * errors[1]).toPrecision(2)})`;
    return `${tested}: μ = ${estimate(mu, errors[0])} (standard error ${errors[0].toPrecision(2)}), ${spread}, `
      + `log-likelihood ${logLikelihood.toFixed(2)}.`;
  }

  // Points of a curve from where it begins
  const known = (points) => points.filter(([, value]) => !Number.isNaN(value));

  function accuracySeries(current) {
    const series = [{ kind: "line", name: "chance", points: CURVE.map((k) => [k, 1 / k]) }];
    if (chosen("law") === "data" && current !== null) {
      series.push({ kind: "band", name: "interval", points: known(CURVE.map((k, i) => [k, fit.curve[i].low, fit.curve[i].high])) });
      series.push({ kind: "dots", name: "observed", points: fit.observed });
    }
    if (current !== null) {
      const values = chosen("law") === "data" ? fit.curve.map(({ value }) => value) : current.accuracy(CURVE);
      series.push({ kind: "line", name: "curve", points: known(CURVE.map((k, i) => [k, values[i]])) });
    }
    return series;
  }

  function drawAccuracy(current) {
    const log = byId("log").checked;
    const series = accuracySeries(current);
    const curve = series.find(({ name }) => name === "curve");
    const last = curve === undefined ? 1e-9 : Math.max(curve.points.at(-1)[1], 1e-12);
    const ends = curve === undefined ? "No curve yet."
      : `It falls from ${format(curve.points[0][1])} at ${curve.points[0][0]} classes to ${format(curve.points.at(-1)[1])} at a thousand million.`;
    explorer.drawChart(byId("accuracy"), {
      x: explorer.logAxis(1, LARGEST),
      y: log ? explorer.logAxis(Math.min(10 ** Math.floor(Math.log10(last)), 0.1), 1) : explorer.unitAxis(),
      labels: { x: "number of classes K", y: "average accuracy" },
      description: `Average accuracy against the number of classes, on a logarithmic axis. ${ends}`,
      series,
    });
    byId("legend-data").hidden = !series.some(({ kind }) => kind === "band");
  }

  function drawDiscriminability(current) {
    const near = byId("near").checked;
    const us = Array.from({ length: 161 }, (_, i) => (near ? 1 - 10 ** (-9 * i / 160) : i / 160));
    const series = [{ kind: "line", name: "chance", points: us.map((u) => [u, u]) }];
    let half = "No curve yet.";
    if (current !== null) {
      const values = current.discriminability(us);
      series.push({ kind: "line", name: "curve", points: us.map((u, i) => [u, values[i]]) });
      half = `At one half it is ${format(current.discriminability([0.5])[0])}.`;
    }
    explorer.drawChart(byId("discriminability"), {
      x: near ? explorer.nearOneAxis(9) : explorer.unitAxis(),
      y: explorer.unitAxis(),
      labels: { x: "favourability u", y: "share of test points D(u)" },
      description: `Distribution function of the favourability. ${half}`,
      series,
    });
  }

  function fillTable(current) {
    const message = byId("sizes-message");
    message.textContent = "";
    let sizes = [];
    try {
      sizes = explorer.parseSizes(byId("sizes").value);
    } catch (error) {
      message.textContent = error.message;
    }
    const data = chosen("law") === "data" && current !== null;
    byId("interval-heading").hidden = !data;
    if (!data) {
      showRows(sizes, current === null ? [] : current.accuracy(sizes).map((value) => ({ value })));
      return;
    }
    byId("values").setAttribute("aria-busy", "true");
    box.ask({ task: "predict", sizes }, (found) => {
      if (found !== undefined && chosen("law") === "data" && fit !== null) showRows(sizes, found.points);
    });
  }

  function showRows(all, found) {
    const [sizes, points] = [0, 1].map((side) => all.map((k, i) => [k, found[i]])
      .filter(([, point]) => point !== undefined && !Number.isNaN(point.value)).map((pair) => pair[side]));
    shown = [sizes, points];
    byId("values").removeAttribute("aria-busy");
    byId("values").replaceChildren(...points.map(({ value, low, high }, i) => {
      const row = document.createElement("tr");
      const digits = low === undefined ? 6 : 3; // an interval is wider than the fourth
      const cells = [sizes[i].toLocaleString("en-GB"), format(value, digits)];
      if (low !== undefined) cells.push(`${format(low, digits)} to ${format(high, digits)}`);
      cells.forEach((text, column) => {
        const cell = document.createElement(column ? "td" : "th");
        if (!column) cell.scope = "row";
        cell.textContent = text;
        row.append(cell);
      });
      return row;
    }));
  }

  function update() {
    const mode = chosen("law");
    for (const panel of document.querySelectorAll("#explorer-app [data-law]")) panel.hidden = panel.dataset.law !== mode;
    const current = law();
    const rests = mode === "data" ? fit?.beyond.rests : undefined;
    byId("rests").textContent = rests === undefined ? "" : `${rests} It is assumed as well that the other classes are drawn like these.`;
    byId("summary").textContent = describe();
    drawAccuracy(current);
    drawDiscriminability(current);
    fillTable(current);
  }

  let waiting = false;
  function updateSoon() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      update();
    });
  }

  function show(found) {
    if (box.state.source?.file !== undefined && found === null) {
      pasted = false;
      byId("data").value = "";
      document.querySelector('input[name="explorer-law"][value="data"]').checked = true;
    }
    if (found !== null && found.kind !== "curve") byId("kind").value = found.kind;
    fit = found;
    updateSoon();
  }

  function fitPaste() {
    if (byId("data").value === "" && box.state.source !== null) box.read();
    else box.take({ text: byId("data").value, kind: byId("kind").value }, byId("count").value);
  }

  // What is written over other results has nothing of theirs
  function edit() {
    const count = pasted ? byId("count").value : "";
    pasted = true;
    box.take(null, count);
  }

  function showExample(name) {
    pasted = false;
    const { kind, text, nClasses } = explorer.examples[name];
    byId("kind").value = kind;
    byId("data").value = text;
    box.take({ text, kind }, kind === "scores" ? "" : String(nClasses));
  }

  // A slider and the number beside it always agree; the number may be typed more finely than the slider moves
  function pair(id) {
    const slider = byId(`${id}-slider`);
    const field = byId(id);
    slider.addEventListener("input", () => {
      field.value = slider.value;
      updateSoon();
    });
    field.addEventListener("input", () => {
      if (!field.checkValidity() || field.value === "") return;
      slider.value = field.value;
      updateSoon();
    });
    field.addEventListener("change", () => {
      if (field.checkValidity() && field.value !== "") return;
      field.value = slider.value;
      updateSoon();
    });
  }

  const FIELDS = ["mu", "nu", "nats", "rho", "sizes", "kind", "count", "wanted", "data", ...explorer.REPORT];

  // The page's state in its address, to be sent to others
  function share() {
    const state = { law: chosen("law"), parameters: chosen("parameters") };
    for (const id of FIELDS) state[id] = byId(id).value;
    history.replaceState(null, "", explorer.asHash(state));
    const whole = state.data.length <= explorer.MOST_TEXT || state.law !== "data";
    byId("saved").textContent = whole ? "The address of this page now holds what you see: copy it from the browser."
      : "The address holds everything but the data, which are too long for one.";
  }

  function restore() {
    const state = explorer.fromHash(location.hash);
    for (const name of ["law", "parameters"]) {
      const input = document.querySelector(`input[name="explorer-${name}"][value="${CSS.escape(state[name] ?? "")}"]`);
      if (input !== null) input.checked = true;
    }
    for (const id of FIELDS) if (state[id] !== undefined) byId(id).value = state[id];
    for (const id of ["mu", "nu", "nats", "rho"]) byId(`${id}-slider`).value = byId(id).value;
    return state.law !== undefined;
  }

  // The curve, and the numbers of classes of the table among its own
  function saveCsv() {
    const current = law();
    if (current === null || shown.length === 0) return;
    const points = chosen("law") === "data" ? fit.curve : current.accuracy(CURVE).map((value) => ({ value }));
    const rows = new Map([...CURVE.map((k, i) => [k, points[i]]), ...shown[0].map((k, i) => [k, shown[1][i]])]);
    const sizes = [...rows.keys()].filter((k) => !Number.isNaN(rows.get(k).value)).sort((a, b) => a - b);
    explorer.save("accuracy.csv", "text/csv", explorer.asCsv(sizes, sizes.map((k) => rows.get(k))));
  }

  function saveSvg() {
    explorer.save("accuracy.svg", "image/svg+xml", explorer.asSvg(byId("accuracy").querySelector("svg")));
  }

  function start() {
    Object.assign(box.state, { changed: show, options: () => ({ law: chosen("parameters"), sizes: CURVE }) });
    ["mu", "nu", "nats", "rho"].forEach(pair);
    for (const input of document.querySelectorAll('input[name="explorer-law"]')) input.addEventListener("change", updateSoon);
    for (const input of document.querySelectorAll('input[name="explorer-parameters"]')) {
      input.addEventListener("change", () => (box.state.source === null ? updateSoon() : box.read()));
    }
    for (const id of ["log", "near", "sizes"]) byId(id).addEventListener("input", updateSoon);
    byId("fit").addEventListener("click", fitPaste);
    byId("data").addEventListener("input", edit);
    for (const button of document.querySelectorAll("#explorer-app [data-example]")) {
      button.addEventListener("click", () => showExample(button.dataset.example));
    }
    byId("share").addEventListener("click", share);
    byId("save-csv").addEventListener("click", saveCsv);
    byId("save-svg").addEventListener("click", saveSvg);
    const given = restore();
    new ResizeObserver(updateSoon).observe(byId("accuracy")); // which asks for the first update as well
    document.getElementById("explorer-app").hidden = false;
    explorer.startRestating();
    if (!given) showExample("wins");
    else if (chosen("law") === "data" && byId("data").value !== "") fitPaste();
  }

  start();
})();
