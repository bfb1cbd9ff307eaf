// The first page: the reader draws the accuracy beyond 500 definitions, then sees the prediction, its interval, the truth.
classexMoving.figure("draw", (stage) => {
  "use strict";

  const explorer = classexExplorer;
  const { drawnCurve, holdPage, meanDistance, pushed, stroke } = classexMoving;
  const { text, nClasses, truth } = explorer.examples.words;
  const sizes = truth.map(([k]) => k);
  const measured = truth.map(([, accuracy]) => accuracy);
  const largest = sizes[sizes.length - 1];
  const KNOTS = 6; // points of the drawn curve, evenly spaced in log K
  const LEAST = 10; // classes, where the axis begins
  const percent = (share) => `${Math.round(100 * share)}\u00a0%`;
  const named = (k) => k.toLocaleString("en-GB");

  const wins = text.split("\n").slice(1).map(Number);
  const given = { wins, ties: wins.map(() => 0), labels: wins.map((_, i) => i), nClasses, distractors: null };
  const ranks = explorer.complete(given);
  const seen = [...new Set(Array.from({ length: 10 }, (_, i) => Math.round(LEAST * (nClasses / LEAST) ** (i / 9))))];
  const observed = explorer.observedAccuracy(ranks, seen);
  const atTest = observed[observed.length - 1];
  const knots = Array.from({ length: KNOTS + 1 }, (_, i) => nClasses * (largest / nClasses) ** (i / KNOTS))
    .map((aim) => sizes.reduce((best, k) => (Math.abs(Math.log(k / aim)) < Math.abs(Math.log(best / aim)) ? k : best)));
  const MOST = Math.floor(100 * atTest) / 100;
  const FIRST = { drawn: knots.slice(1).map(() => MOST), touched: false, shown: 0, at: largest };
  let fitted = null; // on demand: the page is there before

  const predicted = () => (fitted ??= explorer.predict(explorer.fitProcess(ranks), sizes));
  const own = () => drawnCurve(knots, [atTest, ...stage.state.drawn], sizes);
  const move = (i, share) => Object.assign(stage.state, { drawn: pushed(stage.state.drawn, i, share), touched: true });

  stage.state = { ...FIRST };
  const show = stage.button("Show prediction and truth", () => {
    cancelAnimationFrame(stage.frame);
    if (stage.state.shown > 0) stage.set(FIRST);
    else stage.animate(1200, (shown) => stage.set({ shown: Math.max(shown, 0.01) }));
  });
  stage.slider({ label: "How many definitions?", name: "at", values: sizes, text: named });

  const chart = stage.pane({
    x: { ...explorer.logAxis(LEAST, largest), ticks: [10, 100, 1000, 10000].map((value) => ({ value, text: named(value) })) },
    y: explorer.unitAxis(), tallest: 330,
    labels: { x: "number of definitions to choose from", y: "average accuracy" },
    describe: () => `Accuracy falls to ${percent(atTest)} with the ${nClasses} definitions tested. Beyond them is your curve`
      + `${stage.state.shown > 0 ? ", the prediction with its interval, and the measured curve, which stays inside" : ""}.`,
    draw: (pane) => {
      const { shown, at, touched } = stage.state;
      const kept = sizes.filter((k) => Math.log(k / nClasses) <= shown * Math.log(largest / nClasses) + 1e-9);
      if (shown > 0) {
        const ends = (name) => kept.map((k, i) => [k, predicted()[i][name]]);
        pane.area(ends("high"), "extrapolated", ends("low"));
        pane.line(ends("value"), "extrapolated");
        pane.line(kept.map((k, i) => [k, measured[i]]), "truth");
      }
      pane.line([[nClasses, 0], [nClasses, 1]], "muted thin");
      pane.line([[at, 0], [at, 1]], "muted thin");
      pane.text(nClasses, 1, `${nClasses} tested`, { kind: "muted", anchor: "start", dx: 6, dy: 12 });
      const invited = shown === 0 && !touched; // nothing is drawn yet, and the points stand in a row
      const has = touched || invited;
      pane.legend([
        ...(has ? [["drawn", "yours"]] : []), ...(shown > 0 ? [["extrapolated", "predicted"], ["truth", "measured"]] : []),
      ]);
      if (invited) pane.text(Math.sqrt(nClasses * largest), 0.55, "draw here");
      if (has) pane.line(knots.map((k, i) => [k, [atTest, ...stage.state.drawn][i]]), touched ? "drawn" : "drawn thin");
      pane.above.setAttribute("visibility", has ? "visible" : "hidden");
      seen.forEach((k, i) => pane.dot(k, observed[i], "observed"));
      // from a finger's breadth before the last measured dot, where a stroke may begin
      const [start, { top, height }] = [pane.across(nClasses) - 16, pane.box];
      const place = { x: start, y: top, width: pane.width - start, height };
      for (const [name, value] of Object.entries(place)) sheet.setAttribute(name, value);
    },
  });
  const sheet = explorer.element("rect", { class: "sheet" });
  chart.svg.insertBefore(sheet, chart.above);
  knots.slice(1).forEach((k, i) => chart.handle({
    label: `your accuracy with ${named(k)} definitions`, along: "y", step: 0.01, text: percent, kind: "keys",
    from: 0, to: MOST, value: () => stage.state.drawn[i], at: () => [k, stage.state.drawn[i]], move: (share) => move(i, share),
  }));

  // A stroke on the sheet, with mouse, finger or pen; the points are for the keys
  holdPage(sheet);
  sheet.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const { left, top, width } = chart.svg.getBoundingClientRect();
    const scale = chart.width / width;
    const at = ({ clientX, clientY }) => [(clientX - left) * scale, (clientY - top) * scale];
    const across = knots.slice(1).map((k) => chart.across(k));
    let before = at(event);
    const follow = (moved) => {
      const here = at(moved);
      const share = (y) => Math.min(Math.max(1 - (y - chart.box.top) / chart.box.height, 0), MOST);
      stroke(across, before, here, (across[1] - across[0]) / 2).forEach(([i, y]) => move(i, share(y)));
      before = here;
      stage.update();
    };
    follow(event);
    sheet.setPointerCapture(event.pointerId);
    sheet.addEventListener("pointermove", follow);
    for (const end of ["pointerup", "pointercancel"]) {
      sheet.addEventListener(end, () => sheet.removeEventListener("pointermove", follow), { once: true });
    }
  });

  stage.say = () => {
    const { at, shown, touched } = stage.state;
    const i = sizes.indexOf(at);
    show.textContent = shown > 0 ? "Draw again" : "Show prediction and truth";
    const yours = touched ? `you drew ${percent(own()[i])}` : "you drew nothing";
    if (shown < 1 && !touched) return "Draw how the accuracy goes on. Then show the prediction and the truth.";
    if (shown < 1) return `With ${named(at)} definitions ${yours}.`;
    const { value, low, high } = predicted()[i];
    const off = (curve) => (100 * meanDistance(curve, measured, sizes)).toFixed(1);
    return `With ${named(at)} definitions ${yours}; predicted ${percent(value)} (95 % interval ${percent(low)} to `
      + `${percent(high)}); measured ${percent(measured[i])}. On average over the curve, the prediction is `
      + `${off(predicted().map((one) => one.value))} percentage points away from the measured accuracy`
      + `${touched ? `, and yours ${off(own())}` : ""}.`;
  };
  stage.numbers = () => {
    const i = sizes.indexOf(stage.state.at);
    return { drawn: own(), ...predicted()[i], measured: measured[i] };
  };
});
