// Sets of five random classes: the area under the envelope of each falls into a histogram, beside its binomial bar.
classexMoving.figure("envelope", (stage) => {
  "use strict";

  const { bayesAccuracy, binomialError, density, normalNumbers } = classexMoving;
  const { linearAxis, unitAxis } = classexExplorer;
  const RHO = 0.95; // of the static figure
  const COUNT = 5;
  const POINTS = [2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 300, 500, 1000];
  const BIN = 0.02;
  const PEAK = density(RHO, 0, 0);
  const grid = Array.from({ length: 321 }, (_, i) => -4 + i / 40);
  const average = classexExplorer.toy(RHO).accuracy([COUNT])[0];
  const seen = () => bayesAccuracy(RHO, stage.state.classes);
  const error = () => 2 * binomialError(seen(), COUNT * stage.state.points);
  const bin = (accuracy) => Math.min(Math.floor(accuracy / BIN), 1 / BIN - 1);
  const told = (value) => value.toFixed(3);
  let next;

  // a hundred sets stand alone: the first one, which the reader has not asked for, gives way
  function draw(sets) {
    const drawn = sets > 1 && stage.state.drawn.length === 1 ? [] : [...stage.state.drawn];
    for (let i = 0; i < sets; i++) {
      stage.state.classes = Array.from({ length: COUNT }, next);
      drawn.push(seen());
    }
    const falls = sets === 1 && drawn.length > 1;
    stage.set({ drawn, fallen: falls ? 0 : 1 });
    if (falls) stage.animate(700, (share) => stage.set({ fallen: share * share }));
  }

  function start() {
    next = normalNumbers(1);
    stage.state = { points: 50, classes: [], drawn: [], fallen: 1 };
    draw(1);
  }

  const counts = () => Array.from({ length: 1 / BIN }, (_, i) => stage.state.drawn.filter((one) => bin(one) === i).length);
  const tallest = () => 10 * Math.ceil(Math.max(8, ...counts().map((count) => 1.5 * count)) / 10);
  const named = (count) => count.toLocaleString("en-GB");

  const left = stage.pane({
    x: linearAxis(-4, 4, [-4, -2, 0, 2, 4], 0), y: linearAxis(0, 1.4, [0, 0.5, 1]),
    labels: { x: "observation y", y: "density p(y | X)" },
    describe: () => `Five bell curves with centres ${stage.state.classes.map((x) => (RHO * x).toFixed(1)).join(", ")}; `
      + `the area under their envelope is ${(COUNT * seen()).toFixed(2)}.`,
    draw: (pane) => {
      const curves = stage.state.classes.map((x) => grid.map((y) => [y, density(RHO, x, y)]));
      pane.area(grid.map((y, i) => [y, Math.max(...curves.map((curve) => curve[i][1]))]), "observed");
      curves.forEach((curve) => pane.line(curve, "muted fine"));
    },
  });
  for (let i = 0; i < COUNT; i++) {
    left.handle({
      label: `centre of class ${i + 1}`, along: "x", from: -3.8, to: 3.8, step: 0.05, kind: "observed",
      value: () => RHO * stage.state.classes[i], move: (centre) => { stage.state.classes[i] = centre / RHO; },
      at: () => [RHO * stage.state.classes[i], PEAK],
      text: (centre) => `${centre.toFixed(2)}, Bayes accuracy ${told(seen())}`,
    });
  }

  stage.pane({
    x: unitAxis(), y: () => linearAxis(0, tallest(), [0, tallest() / 2, tallest()], 0),
    labels: { x: "Bayes accuracy = area / 5", y: "sets drawn" },
    describe: () => `${named(stage.state.drawn.length)} sets of five classes, with Bayes accuracies from `
      + `${told(Math.min(...stage.state.drawn))} to ${told(Math.max(...stage.state.drawn))}. The binomial bar of the `
      + `present set reaches from ${told(seen() - error())} to ${told(seen() + error())}.`,
    draw: (pane) => {
      const high = 0.85 * tallest();
      const last = stage.state.drawn[stage.state.drawn.length - 1];
      const { fallen } = stage.state;
      counts().forEach((count, i) => {
        const landed = count - (fallen < 1 && i === bin(last) ? 1 : 0);
        if (landed) pane.bar(i * BIN, (i + 1) * BIN, landed, "observed strong");
      });
      pane.line([[average, 0], [average, 0.8 * tallest()]], "truth"); // below the words of the bar
      pane.text(average, 0.66 * tallest(), "average over all sets", { kind: "truth", anchor: "end", dx: -5 });
      pane.line([[seen() - error(), high], [seen() + error(), high]], "extrapolated solid");
      for (const end of [-1, 1]) {
        pane.line([[seen() + end * error(), 0.96 * high], [seen() + end * error(), 1.04 * high]], "extrapolated solid");
      }
      pane.dot(seen(), high, "extrapolated", 5);
      // from the end of the bar that leaves room within the axes
      const [place, anchor] = seen() > 0.6 ? [Math.min(seen() + error(), 1), "end"] : [Math.max(seen() - error(), 0), "start"];
      pane.text(place, high, "2 binomial errors", { kind: "extrapolated", anchor, dy: -11 });
      if (fallen < 1) pane.dot(last, high + fallen * (counts()[bin(last)] - 0.5 - high), "observed", 5);
    },
  });

  stage.button("Draw another five classes", () => draw(1));
  stage.button("Draw 100 sets", () => draw(100));
  stage.button("Start again", start);
  stage.slider({ label: "test points from each class", name: "points", values: POINTS, text: named });

  stage.key.textContent = "Orange: this set, with two binomial standard errors on either side. Blue: all sets drawn.";
  const spread = () => {
    const { drawn } = stage.state;
    const mean = drawn.reduce((sum, one) => sum + one, 0) / drawn.length;
    return Math.sqrt(drawn.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (drawn.length - 1));
  };
  stage.say = () => `Area ${(COUNT * seen()).toFixed(2)}, Bayes accuracy ${told(seen())}. Two binomial standard errors `
    + `with ${named(COUNT * stage.state.points)} test points: ± ${told(error())}. `
    + (stage.state.drawn.length < 10 ? "Draw more sets."
      : `Two standard deviations of the ${named(stage.state.drawn.length)} sets drawn: ± ${told(2 * spread())}.`);
  stage.numbers = () => ({ accuracy: seen(), error: error(), average, spread: spread(), counts: counts() });
  start();
});
