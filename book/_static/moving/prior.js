// The default's first component on 100 of 2,350 syllables: its prior slope and spread, the observed accuracies, the truth.
classexMoving.figure("prior", (stage) => {
  "use strict";

  const { priorBand, pushed, syllables } = classexMoving;
  const { logAxis, settings, unitAxis } = classexExplorer;
  const { sizes, grid, truth, value } = syllables;
  const [last, most] = [sizes[sizes.length - 1], grid[grid.length - 1]];
  const [usual] = settings.process.components;
  const FIRST = { slope: usual.slope, spread: usual.slope_sd, value, shown: false };
  const told = (share) => share.toFixed(3);
  const named = (count) => count.toLocaleString("en-GB");
  const signed = (slope) => slope.toFixed(2).replace("-", "−");
  const band = () => priorBand({ ...syllables, value: stage.state.value }, stage.state.slope, stage.state.spread, grid);
  const end = () => band()[grid.length - 1];
  const covered = ({ low, high }) => low <= truth[grid.length - 1] && truth[grid.length - 1] <= high;

  stage.state = { ...FIRST };
  stage.slider({ label: "prior slope, probits per decade", name: "slope", from: -1.2, to: 0, step: 0.01, text: signed });
  stage.slider({ label: "prior spread of the slope", name: "spread", from: 0, to: 0.4, step: 0.01, text: signed });
  const reveal = stage.button("Show the truth", () => stage.set({ shown: !stage.state.shown }));
  stage.button("Start again", () => stage.set(FIRST));

  const chart = stage.pane({
    x: { ...logAxis(2, most), ticks: [2, 10, 100, 1000].map((value) => ({ value, text: named(value) })) },
    y: unitAxis(), labels: { x: "number of syllables", y: "average accuracy" }, tallest: 340,
    describe: () => `Observed accuracy from ${told(stage.state.value[0])} with 2 syllables to `
      + `${told(stage.state.value[sizes.length - 1])} with ${last}. With ${most} the prediction is ${told(end().value)}, in a `
      + `band from ${told(end().low)} to ${told(end().high)}.`,
    draw: (pane) => {
      const points = band();
      const ends = (name) => grid.map((k, i) => [k, points[i][name]]);
      pane.area(ends("high"), "extrapolated", ends("low"));
      pane.line(ends("value"), "extrapolated");
      if (stage.state.shown) pane.line(grid.map((k, i) => [k, truth[i]]), "truth");
      pane.line([[last, 0], [last, 1]], "muted thin");
      pane.text(last, 1, `${last} tested`, { kind: "muted", anchor: "start", dx: 6, dy: 12 });
      const lines = [["observed", "observed"], ["extrapolated", "predicted"], ["truth", "true"]];
      pane.legend(stage.state.shown ? lines : lines.slice(0, 2));
      pane.line(sizes.map((k, i) => [k, stage.state.value[i]]), "observed");
    },
  });
  sizes.forEach((k, i) => chart.handle({
    label: `observed accuracy with ${k} syllables`, along: "y", step: 0.001, kind: "observed",
    at: () => [k, stage.state.value[i]], from: 0.01, to: 0.999, value: () => stage.state.value[i], text: told,
    move: (share) => { stage.state.value = pushed(stage.state.value, i, share); },
  }));

  stage.key.textContent = "Drag the blue points to change what was observed.";
  stage.say = () => {
    reveal.textContent = stage.state.shown ? "Hide the truth" : "Show the truth";
    const said = `With all ${named(most)} syllables: predicted ${told(end().value)}, 95 % interval from `
      + `${told(end().low)} to ${told(end().high)}.`;
    if (!stage.state.shown) return said;
    return `${said} The true accuracy is ${told(truth[grid.length - 1])}, ${covered(end()) ? "inside" : "outside"} the interval.`;
  };
  stage.numbers = () => ({ ...end(), truth: truth[grid.length - 1] });
});
