// A table of scores whose classes are clicked in and out, the truth of a row dragged; wins, subsets and their average.
classexMoving.figure("subsets", (stage) => {
  "use strict";

  const { accuracyAmong, bySize, node, subsetsOf } = classexMoving;
  const { linearAxis, unitAxis } = classexExplorer;
  const NAMES = [..."ABCDEF"];
  const SIZES = NAMES.map((_, i) => i + 1);
  const SCORES = [
    [0.71, 0.35, 0.52, 0.18, 0.44, 0.60],
    [0.22, 0.48, 0.66, 0.31, 0.57, 0.40],
    [0.70, 0.15, 0.63, 0.42, 0.55, 0.28],
    [0.45, 0.30, 0.52, 0.39, 0.21, 0.61],
    [0.34, 0.62, 0.27, 0.50, 0.82, 0.41],
    [0.58, 0.12, 0.47, 0.36, 0.64, 0.33],
  ];
  const told = (value) => value.toFixed(3);
  const short = (score) => score.toFixed(2).replace(/^0/, "");
  const chosen = () => NAMES.map((_, i) => i).filter((i) => stage.state.on[i]);
  const now = () => bySize(stage.state.scores, chosen().length);
  const mean = (k) => bySize(stage.state.scores, k).mean;
  // wins and, where there are any, ties of a test point, the wins with a unit or without
  function winsOf(i, unit = "") {
    const { wins, ties } = now();
    return `${wins[i]}${unit}${ties[i] ? ` + ${ties[i]} ${ties[i] > 1 ? "ties" : "tie"}` : ""}`;
  }
  const among = () => accuracyAmong(stage.state.scores, chosen());
  const start = () => stage.set({ scores: SCORES, on: NAMES.map((_, i) => [1, 3, 4].includes(i)), row: 1 });

  function toggle(i) {
    const on = stage.state.on.map((value, l) => (l === i ? !value : value));
    if (on.some(Boolean)) stage.set({ on });
  }

  // the table: its buttons stay, so that they keep the focus
  const holder = node("div", { class: "classex-pane" });
  const table = node("table", { class: "classex-scores" });
  const head = table.createTHead().insertRow();
  head.append(node("td", {}));
  const columns = NAMES.map((name, i) => {
    const button = node("button", { type: "button", "aria-label": `class ${name}` }, name);
    button.addEventListener("click", () => toggle(i));
    head.append(node("th", { scope: "col" }));
    head.lastChild.append(button);
    return button;
  });
  const share = node("th", { scope: "col" });
  head.append(node("th", { scope: "col" }, "wins"), share);
  const body = table.createTBody();
  const rows = NAMES.map((name, i) => {
    const row = body.insertRow();
    const button = node("button", { type: "button", "aria-label": `test point of class ${name}` }, name.toLowerCase());
    button.addEventListener("click", () => stage.set({ row: i }));
    row.append(node("th", { scope: "row" }));
    row.lastChild.append(button);
    const cells = Array.from({ length: 8 }, () => row.insertCell());
    cells.slice(0, 6).forEach((cell) => cell.addEventListener("click", () => stage.set({ row: i })));
    return { button, cells };
  });
  holder.append(table);
  stage.charts.append(holder);

  stage.shows(() => {
    const { scores, on, row } = stage.state;
    const { shares } = now();
    share.textContent = `right in sets of ${chosen().length}`;
    columns.forEach((button, i) => button.setAttribute("aria-pressed", on[i]));
    rows.forEach(({ button, cells }, i) => {
      button.setAttribute("aria-pressed", i === row);
      const top = Math.max(...chosen().map((l) => scores[i][l]));
      NAMES.forEach((_, l) => {
        cells[l].textContent = short(scores[i][l]);
        const seen = on[i] && on[l];
        cells[l].classList.toggle("diagonal", i === l);
        cells[l].classList.toggle("out", !seen);
        cells[l].classList.toggle("top", seen && scores[i][l] === top);
      });
      cells[6].textContent = winsOf(i);
      cells[7].textContent = told(shares[i]);
    });
  });

  stage.pane({
    kind: "last-on-phones", x: linearAxis(1, 6, SIZES, 0), y: unitAxis(),
    labels: { x: "number of classes k", y: "accuracy" },
    describe: () => `The average over all subsets falls from 1 with one class to ${told(mean(6))} with six. The `
      + `${chosen().length} chosen classes have the accuracy ${told(among())}.`,
    draw: (pane) => {
      const { scores } = stage.state;
      for (const k of SIZES) {
        const found = subsetsOf(6, k).map((subset) => accuracyAmong(scores, subset));
        const count = (value) => found.filter((other) => other === value).length;
        for (const value of new Set(found)) pane.dot(k, value, "muted faint", 2 + 2 * Math.sqrt(count(value)));
      }
      pane.line(SIZES.map((k) => [k, mean(k)]), "observed");
      SIZES.forEach((k) => pane.dot(k, mean(k), "observed", 4));
      pane.dot(chosen().length, among(), "extrapolated ring", 8);
    },
  });

  const strip = stage.pane({
    x: unitAxis(), y: { ...unitAxis(), ticks: [] }, share: 100, ratio: 0.16, tallest: 130,
    labels: { x: "scores of the chosen test point", y: "" },
    describe: () => `Scores of the test point of class ${NAMES[stage.state.row]}: `
      + `${NAMES.map((name, l) => `${name} ${short(stage.state.scores[stage.state.row][l])}`).join(", ")}.`,
    draw: (pane) => {
      const { scores, on, row } = stage.state;
      NAMES.forEach((name, l) => {
        const kind = l === row ? "truth" : on[l] ? "" : "muted faint";
        pane.text(scores[row][l], 0.5, name, { kind: `${kind} letter`, dy: l === row ? -14 : 5 });
      });
    },
  });
  strip.handle({
    label: "score of the truth", along: "x", from: 0, to: 1, step: 0.01, kind: "truth",
    value: () => stage.state.scores[stage.state.row][stage.state.row],
    move: (score) => {
      const { row, scores } = stage.state;
      stage.state.scores = scores.map((line, i) => line.map((old, l) => (i === row && l === row ? score : old)));
    },
    at: () => [stage.state.scores[stage.state.row][stage.state.row], 0.5],
    text: (score) => `${short(score)}, ${winsOf(stage.state.row, " wins")}`,
  });

  stage.key.textContent = "Filled: the highest score of a point among the chosen classes. Green: the truth. Last column: "
    + "the share of the sets with the class of the point in which it is right. Grey dots: all sets of k classes, larger "
    + "where several agree. Blue: their average. Ring: the chosen classes.";
  stage.button("Start again", start);
  stage.say = () => {
    const names = chosen().map((i) => NAMES[i]);
    const sets = subsetsOf(6, names.length).length;
    const over = sets > 1 ? `over all ${sets} sets` : "over the only set";
    return `${names.length > 1 ? "Classes" : "Class"} ${names.join(", ")} alone: accuracy ${told(among())}. Average ${over} of ${names.length}: `
      + `${told(now().mean)}, the mean of the last column. Pairs: ${told(mean(2))}. All six: ${told(mean(6))}.`;
  };
  stage.numbers = () => ({ ...now(), scores: stage.state.scores, chosen: chosen(), accuracy: among() });
  start();
});
