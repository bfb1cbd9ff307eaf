// Five average accuracies, to be lowered and raised: the bound from each alone and from all together, and its density.
classexMoving.figure("accuracies", (stage) => {
  "use strict";

  const { curveBound, density, extremalAt } = classexMoving;
  const { information, logAxis, nearOneAxis, ndtri, unitAxis } = classexExplorer;
  const SIZES = [2, 5, 20, 100, 300];
  const NEAR = 4; // tenfolds of 1 - t
  const rest = Array.from({ length: 121 }, (_, i) => 10 ** (-NEAR * i / 120)).slice(1); // 1 - t
  const curve = Array.from({ length: 41 }, (_, i) => 2 * 150 ** (i / 40));
  const told = (nats) => nats.toFixed(3);
  function model(nats) {
    const value = information(nats).accuracy(SIZES);
    return { nats, value, dragged: null, before: curveBound(value, SIZES).information };
  }
  let known = {}; // the bound of the accuracies seen last: several parts ask for it

  function bound() {
    const { value } = stage.state;
    if (known.value !== value) known = { value, ...curveBound(value, SIZES) };
    return known;
  }
  const best = () => bound().alone.indexOf(Math.max(...bound().alone));

  stage.state = model(3);
  const slider = stage.slider({
    label: "information of the model, nats", name: "nats", from: 0.5, to: 6, step: 0.1, text: (nats) => nats.toFixed(1),
  });
  slider.addEventListener("input", () => stage.set(model(stage.state.nats)));
  stage.button("Start again", () => stage.set(model(3)));
  stage.key.textContent = "First: the accuracies of the model, and those taken as known. Second: positions near 1 are spread out.";

  const left = stage.pane({
    x: { ...logAxis(2, 300), ticks: SIZES.map((value) => ({ value, text: String(value) })) }, y: unitAxis(),
    labels: { x: "number of classes k", y: "average Bayes accuracy" }, ratio: 0.85,
    describe: () => `Accuracies ${stage.state.value.map((a) => a.toFixed(2)).join(", ")} with ${SIZES.join(", ")} classes.`,
    draw: (pane) => {
      pane.line(information(stage.state.nats).accuracy(curve).map((a, i) => [curve[i], a]), "truth");
      SIZES.forEach((k, i) => {
        if (bound().multipliers[i] > 0) return;
        // below the curve, and within the chart
        const aside = i === 0 ? { anchor: "start", dx: 6, dy: 24 } : { anchor: "end", dx: -11, dy: 14 };
        pane.text(k, stage.state.value[i], "adds nothing", { kind: "muted", ...aside });
      });
    },
  });
  SIZES.forEach((k, i) => left.handle({
    label: `accuracy with ${k} classes`, along: "y", from: 0, to: 0.99, step: 0.005, kind: "observed",
    value: () => stage.state.value[i], at: () => [k, stage.state.value[i]],
    text: (a) => `${a.toFixed(3)}, ${told(bound().alone[i])} nats alone`,
    move: (a) => Object.assign(stage.state, { value: stage.state.value.map((old, j) => (j === i ? a : old)), dragged: i }),
  }));
  stage.pane({
    x: nearOneAxis(NEAR), y: logAxis(1e-3, 1e3), labels: { x: "position t", y: "density" }, ratio: 0.85,
    describe: () => "Densities of the favourability on logarithmic axes: that of the model, the one with the least information "
      + "that reaches all five accuracies, and the one that reaches the best single accuracy.",
    draw: (pane) => {
      const { nats, value } = stage.state;
      const { multipliers, logNormaliser } = bound();
      const single = extremalAt(value[best()], SIZES[best()]);
      const drawn = (of) => rest.map((v) => [1 - v, of(v)]);
      pane.line(drawn((v) => density(v, [single.c], [SIZES[best()]], single.logNormaliser)), "extrapolated");
      pane.line(drawn((v) => Math.exp(-Math.sqrt(2 * nats) * ndtri(v) - nats)), "truth");
      pane.line(drawn((v) => density(v, multipliers, SIZES, logNormaliser)), "observed");
      pane.legend([["truth", "model"], ["observed", "all five"], ["extrapolated", `${SIZES[best()]} classes alone`]], true);
    },
  });

  stage.say = () => {
    const { alone, information: proved, multipliers } = bound();
    const { before, dragged, value } = stage.state;
    const carrying = SIZES.filter((_, i) => multipliers[i] > 0);
    const carriers = new Intl.ListFormat("en-GB").format(carrying.map(String));
    const which = carrying.length > 1 ? "those" : "the one";
    const rests = carrying.length > 0 ? `; the bound rests on ${which} with ${carriers} classes` : "";
    const first = dragged === null ? `The best single accuracy, with ${SIZES[best()]} classes, proves ${told(alone[best()])} nats.`
      : `With ${SIZES[dragged]} classes ${told(value[dragged])} (${told(alone[dragged])} nats alone).`;
    return `${first} All five together prove ${told(proved)} nats${dragged === null ? "" : ` (${told(before)} before)`}${rests}.`;
  };
  stage.numbers = () => ({ information: bound().information, alone: bound().alone, multipliers: bound().multipliers });
});
