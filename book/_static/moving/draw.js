// The first page: the reader draws the accuracy beyond 500 definitions, then sees the prediction, its interval, the truth.
classexMoving.figure("draw", (stage) => {
  "use strict";

  const explorer = classexExplorer;
  const { drawnCurve, falling, meanDistance, stroke } = classexMoving;
  const { text, nClasses, truth } = explorer.examples.words;
  const sizes = truth.map(([k]) => k);
  const measured = truth.map(([, accuracy]) => accuracy);
  const largest = sizes[sizes.length - 1];
  const KNOTS = 6; // points of the drawn curve, evenly spaced in log K
  const LEAST = 10; // classes, where the axis begins
  const percent = (share) => `${Math.round(100 * share)}\u00a0%`;
  const named = (k) => k.toLocaleString("en-GB");

  const wins = text.split("\n").slice(1).map(Number);
  const points = { wins, ties: wins.map(() => 0), labels: wins.map((_, i) => i), nClasses, distractors: null };
  const ranks = explorer.complete(points);
  const seen = [...new Set(Array.from({ length: 10 }, (_, i) => Math.round(LEAST * (nClasses / LEAST) ** (i / 9))))];
  const observed = explorer.observedAccuracy(ranks, seen);
  const atTest = observed[observed.length - 1];
  const knots = Array.from({ length: KNOTS + 1 }, (_, i) => nClasses * (largest / nClasses) ** (i / KNOTS))
    .map((aim) => sizes.reduce((best, k) => (Math.abs(Math.log(k / aim)) < Math.abs(Math.log(best / aim)) ? k : best)));
  const FIRST = { drawn: knots.slice(1).map(() => atTest), touched: false, shown: 0, at: largest };
  let fitted = null; // on demand: the page is there before

  const predicted = () => (fitted ??= explorer.predict(explorer.fitProcess(ranks), sizes));
  const own = () => drawnCurve(knots, [atTest, ...stage.state.drawn], sizes);
  const redraw = (drawn) => stage.set({ drawn: falling(drawn, atTest), touched: true });

  stage.state = { ...FIRST };
  const show = stage.button("Show prediction and truth", () => {
    cancelAnimationFrame(stage.frame);
    if (stage.state.shown > 0) stage.set(FIRST);
    else stage.animate(1200, (shown) => stage.set({ shown: Math.max(shown, 0.01) }));
  });
  const slider = stage.slider({ label: "How many definitions?", name: "at", values: sizes, text: named });

  const chart = stage.pane({
    x: explorer.logAxis(LEAST, largest), y: explorer.unitAxis(), ratio: 0.5, tallest: 330,
    labels: { x: "number of definitions to choose from", y: "average accuracy" },
    describe: () => `Accuracy falls to ${percent(atTest)} with the ${nClasses} definitions that were tested. Beyond them there is the `
      + `curve that you draw${stage.state.shown ? ", the prediction with its interval, and the measured curve, which stays inside" : ""}.`,
    draw: (pane) => {
      const { shown, at } = stage.state;
      const kept = sizes.filter((k) => Math.log(k / nClasses) <= shown * Math.log(largest / nClasses) + 1e-9);
      if (shown > 0) {
        const ends = (name) => kept.map((k, i) => [k, predicted()[i][name]]);
        pane.area(ends("high"), "extrapolated", ends("low"));
        pane.line(ends("value"), "extrapolated");
        pane.line(kept.map((k, i) => [k, measured[i]]), "truth");
        if (shown === 1) pane.line([[at, 0], [at, 1]], "muted thin");
      }
      pane.line([[nClasses, 0], [nClasses, 1]], "muted thin");
      pane.text(nClasses, 0.03, `${nClasses} tested`, { kind: "muted", anchor: "end", dx: -6 });
      if (!stage.state.touched) pane.text(Math.sqrt(nClasses * largest), 0.87, "draw here", { kind: "strong" });
      pane.line(knots.map((k, i) => [k, [atTest, ...stage.state.drawn][i]]), stage.state.touched ? "drawn" : "drawn thin");
      seen.forEach((k, i) => pane.dot(k, observed[i], "observed"));
      const { left, top, width, height } = pane.box;
      const start = pane.across(nClasses);
      for (const [name, value] of Object.entries({ x: start, y: top, width: left + width - start, height })) sheet.setAttribute(name, value);
    },
  });
  const sheet = explorer.element("rect", { class: "sheet" });
  chart.svg.insertBefore(sheet, chart.above);
  knots.slice(1).forEach((k, i) => chart.handle({
    label: `your accuracy with ${named(k)} definitions`, along: "y", step: 0.01, text: percent, far: 10,
    from: 0, to: () => stage.state.drawn[i - 1] ?? atTest, value: () => stage.state.drawn[i], at: () => [k, stage.state.drawn[i]],
    move: (share) => redraw(stage.state.drawn.map((old, j) => (j === i ? share : old))),
  }));

  // A stroke on the sheet, with mouse, finger or pen
  sheet.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const { left, top, width } = chart.svg.getBoundingClientRect();
    const scale = chart.width / width;
    const at = ({ clientX, clientY }) => [(clientX - left) * scale, (clientY - top) * scale];
    const across = knots.slice(1).map((k) => chart.across(k));
    let before = at(event);
    const follow = (moved) => {
      const here = at(moved);
      const heights = stroke(across, stage.state.drawn.map((y) => chart.up(y)), before, here, (across[1] - across[0]) / 2);
      redraw(heights.map((y) => Math.min(Math.max(1 - (y - chart.box.top) / chart.box.height, 0), 1)));
      before = here;
    };
    follow(event);
    sheet.setPointerCapture(event.pointerId);
    sheet.addEventListener("pointermove", follow);
    for (const end of ["pointerup", "pointercancel"]) {
      sheet.addEventListener(end, () => sheet.removeEventListener("pointermove", follow), { once: true });
    }
  });

  stage.say = () => {
    const { drawn, shown, at } = stage.state;
    slider.parentElement.hidden = shown < 1;
    show.textContent = shown > 0 ? "Draw again" : "Show prediction and truth";
    if (shown < 1) return `Your curve ends at ${percent(drawn[KNOTS - 1])} with ${named(largest)} definitions.`;
    const i = sizes.indexOf(at);
    const { value, low, high } = predicted()[i];
    const off = (curve) => Math.round(100 * meanDistance(curve, measured, sizes));
    return `With ${named(at)} definitions you drew ${percent(own()[i])}; predicted ${percent(value)} (95 % interval ${percent(low)} to `
      + `${percent(high)}); measured ${percent(measured[i])}. On average over the curve you are ${off(own())} points away from the `
      + `measured accuracy, the prediction ${off(predicted().map((one) => one.value))}.`;
  };
  stage.numbers = () => ({ drawn: own(), ...predicted()[sizes.indexOf(stage.state.at)], measured: measured[sizes.indexOf(stage.state.at)] });
});
