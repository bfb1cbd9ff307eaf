// Nats and number of classes: the tilted density, the accuracy ceiling, and the accuracy that Fano’s inequality allows.
classexMoving.figure("ceiling", (stage) => {
  "use strict";

  const { density, extremalOf, fano, fanoCeiling } = classexMoving;
  const { linearAxis, logAxis, nearOneAxis, unitAxis } = classexExplorer;
  const MOST = 10; // nats
  const NEAR = 5; // tenfolds of 1 - t
  const FIRST = { nats: 2, k: 100 };
  const COUNTS = [2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];
  const rest = Array.from({ length: 161 }, (_, i) => 10 ** (-NEAR * i / 160)); // 1 - t
  const grid = Array.from({ length: 101 }, (_, i) => MOST * i / 100);
  const told = (share) => share.toFixed(3);
  const named = (count) => count.toLocaleString("en-GB");
  const lines = new Map(); // for every k: the ceiling, and what Fano’s inequality allows
  const here = () => extremalOf(stage.state.nats, stage.state.k);
  const allowed = () => fanoCeiling(stage.state.nats, stage.state.k);

  function linesOf(k) {
    if (!lines.has(k)) {
      lines.set(k, [(nats) => extremalOf(nats, k).accuracy, (nats) => fanoCeiling(nats, k)]
        .map((limit) => grid.map((nats) => [nats, limit(nats)])));
    }
    return lines.get(k);
  }

  stage.state = { ...FIRST };
  stage.slider({ label: "information, nats", name: "nats", from: 0, to: MOST, step: 0.01, text: (nats) => nats.toFixed(2) });
  stage.slider({ label: "number of classes k", name: "k", values: COUNTS, text: named });
  stage.button("Start again", () => stage.set(FIRST));
  stage.key.textContent = "First: the density that attains the ceiling, and dotted the one without information. Positions near 1 are "
    + "spread out.";

  stage.pane({
    x: nearOneAxis(NEAR), y: logAxis(1e-3, 1e5), labels: { x: "position t", y: "density Q(t)" }, ratio: 0.85,
    describe: () => `The density with ${stage.state.nats} nats and the largest accuracy with ${stage.state.k} classes, on `
      + "logarithmic axes. It is low at the left and rises near one.",
    draw: (pane) => {
      const { c, logNormaliser } = here();
      const { k } = stage.state;
      pane.line([[0, 1], [1 - 10 ** -NEAR, 1]], "guessing");
      pane.line([[1 - 1 / k, 1e-3], [1 - 1 / k, 1e5]], "muted thin");
      const aside = k < 10 ? { anchor: "start", dx: 6 } : { anchor: "end", dx: -6 };
      pane.text(1 - 1 / k, 1e5, "1 − 1/k", { kind: "muted", dy: 12, ...aside });
      pane.line(rest.map((v) => [1 - v, density(v, [c], [k], logNormaliser)]), "observed");
    },
  });
  const right = stage.pane({
    x: linearAxis(0, MOST, [0, 2, 4, 6, 8, 10], 0), y: unitAxis(), labels: { x: "mutual information (nats)", y: "accuracy" },
    ratio: 0.85,
    describe: () => `With ${stage.state.k} classes the largest accuracy rises with the information. With ${stage.state.nats} `
      + `nats it is ${told(here().accuracy)}; Fano’s inequality allows ${told(allowed())}.`,
    draw: (pane) => {
      const { nats, k } = stage.state;
      const [ceiling, bound] = linesOf(k);
      pane.line([[0, 1 / k], [MOST, 1 / k]], "guessing");
      pane.line(bound, "extrapolated");
      pane.line(ceiling, "observed");
      pane.line([[nats, 0], [nats, allowed()]], "muted thin");
      pane.dot(nats, allowed(), "extrapolated", 5);
      pane.legend([["extrapolated", "Fano’s inequality"], ["observed", "ceiling"]], true);
    },
  });
  right.handle({
    label: "information", along: "x", from: 0, to: MOST, step: 0.01, kind: "observed", value: () => stage.state.nats,
    move: (nats) => { stage.state.nats = nats; }, at: () => [stage.state.nats, here().accuracy],
    text: (nats) => `${nats} nats, accuracy at most ${told(here().accuracy)}`,
  });

  stage.say = () => {
    const { nats, k } = stage.state;
    const { accuracy } = here();
    return `${nats.toFixed(2)} nats and ${named(k)} classes: the accuracy is at most ${told(accuracy)}. Fano’s inequality would `
      + `allow ${told(allowed())}, and concludes only ${fano(accuracy, k).toFixed(2)} nats from an accuracy of ${told(accuracy)}.`;
  };
  stage.numbers = () => ({ accuracy: here().accuracy, fano: allowed() });
});
