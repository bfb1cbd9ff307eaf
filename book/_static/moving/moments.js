// Three groups of test points along the favourability, the weight u^(k-1), and the average accuracy with k classes.
classexMoving.figure("moments", (stage) => {
  "use strict";

  const { groupAccuracy } = classexMoving;
  const { logAxis, powerOfTen, unitAxis } = classexExplorer;
  const FIRST = { k: 10, first: 0.5, second: 0.9, third: 0.99 };
  const NAMES = ["first", "second", "third"];
  const SHARES = [1 / 3, 1 / 3, 1 / 3];
  const MOST = 1000;
  const HALF = 0.014; // half the width of a bar, in units of u
  const sizes = Array.from({ length: 91 }, (_, i) => 2 * (MOST / 2) ** (i / 90));
  // denser near one, where the weight is steep
  const grid = Array.from({ length: 301 }, (_, i) => 1 - (1 - i / 300) ** 3);
  const groups = () => NAMES.map((name) => stage.state[name]);
  const accuracy = (k) => groupAccuracy(groups(), SHARES, [k])[0];
  const right = () => groups().map((u) => u ** (stage.state.k - 1));
  const told = (value) => value.toFixed(3);
  const counted = (k) => k.toLocaleString("en-GB");

  stage.state = { ...FIRST };
  stage.slider({ label: "number of classes k", name: "k", values: [...new Set(sizes.map(Math.round))], text: counted });
  stage.button("Start again", () => stage.set(FIRST));

  const left = stage.pane({
    x: unitAxis(), y: unitAxis(), labels: { x: "favourability u", y: "share of a group that is right" },
    describe: () => `The weight u to the power ${stage.state.k - 1}. Three groups of test points at `
      + `${groups().join(", ")}; of these, ${right().map(told).join(", ")} are right.`,
    draw: (pane) => {
      groups().forEach((u, i) => {
        pane.bar(u - HALF, u + HALF, 1, "muted");
        pane.bar(u - HALF, u + HALF, right()[i], "truth full");
      });
      const power = stage.state.k - 1;
      pane.line(grid.map((u) => [u, u ** power]), "extrapolated solid");
      const name = `u${powerOfTen(power).slice(2)}`;
      pane.text(0.25 ** (1 / power), 0.25, name, { kind: "extrapolated", anchor: "end", dx: -9 });
      pane.line([[0, accuracy(stage.state.k)], [1, accuracy(stage.state.k)]], "observed thin");
      pane.text(0.02, accuracy(stage.state.k), "average", { kind: "observed", anchor: "start", dy: -5 });
    },
  });
  NAMES.forEach((name, i) => left.handle({
    label: `favourability of the ${name} group`, along: "x", from: 0, to: 1, step: 0.01, kind: "truth",
    value: () => stage.state[name], move: (u) => { stage.state[name] = u; }, at: () => [stage.state[name], 1],
    text: (u) => `${u}, ${told(right()[i])} of the group are right`,
  }));

  stage.pane({
    x: logAxis(2, MOST), y: unitAxis(), labels: { x: "number of classes k", y: "average accuracy" },
    describe: () => `Average accuracy falls from ${told(accuracy(2))} with 2 classes to ${told(accuracy(MOST))} with `
      + `${counted(MOST)}.`,
    draw: (pane) => {
      const { k } = stage.state;
      pane.line(sizes.map((size) => [size, accuracy(size)]), "observed");
      pane.line([[2, accuracy(k)], [k, accuracy(k)]], "observed thin");
      pane.dot(k, accuracy(k), "observed", 6);
    },
  });

  stage.key.textContent = "Each bar is a third of all test points. Green: its share that is right with k classes.";
  stage.say = () => `Groups at u = ${groups().map((u) => u.toFixed(2)).join(", ")}: with ${counted(stage.state.k)} classes, `
    + `${right().map(told).join(", ")} of them are right, `
    + `on average ${told(accuracy(stage.state.k))}. With 2 classes the average is ${told(accuracy(2))}.`;
  stage.numbers = () => ({ k: stage.state.k, groups: groups(), right: right(), accuracy: accuracy(stage.state.k) });
});
