// The box that takes a file of results: what was read, the prediction, and the command and the lines of Python that give the
// same. It stands in <div data-classex-box> on the first page and in the explorer. The scripts that compute are loaded when it
// is first used, or at once with those that its script tag names in data-then.
(function () {
  "use strict";

  const own = document.currentScript;
  const COMPUTE = ["normal", "laws", "settings", "algebra", "components", "posterior", "wins", "ranks", "curve", "fit", "interval",
    "nodes", "process", "panels", "reliance", "tables", "parse", "compute"];
  const MARKUP = `
    <label class="drop" for="explorer-file"><strong>Drop a file of results here</strong>, or <u>choose one</u>
      <small>Scores of each test point, ranks, wins, or a curve of accuracies, as CSV, TSV or JSON. Everything is computed in
      your browser, and nothing is sent.</small></label>
    <input type="file" class="visually-hidden" id="explorer-file" accept=".csv,.tsv,.txt,.json,.jsonl,.gz">
    <p><label class="choice" for="explorer-wanted">Predict for how many classes, K?
      <input type="text" id="explorer-wanted" size="14" autocomplete="off" placeholder="100 times as many"></label></p>
    <form id="explorer-asked" hidden><label class="choice" for="explorer-count"></label>
      <input type="text" id="explorer-count" size="9" autocomplete="off" required> <button class="main">Predict</button></form>
    <p id="explorer-busy" role="status" hidden>Computing … <progress aria-label="computing"></progress></p>
    <p class="message" id="explorer-message" role="alert"></p>
    <p id="explorer-remedy" hidden><button type="button">Leave it out</button> <button type="button">It is a class</button></p>
    <dl>
      <div hidden><dt>Read</dt><dd><span id="explorer-ledger" role="status"></span></dd></div>
      <div hidden><dt>Prediction</dt><dd><span id="explorer-sentence" role="status"></span></dd></div>
      <div hidden><dt>Command</dt><dd><code id="explorer-command"></code></dd></div>
      <div hidden><dt>Python</dt><dd><code id="explorer-python"></code></dd></div>
    </dl>`;
  const ASKED = { classes: "Among how many classes was each test point ranked?", points: "How many test points are behind the curve?" };
  const METHODS = { process: ["", ""], two: [" --method probit-normal", ', method="probit-normal"'],
    one: ["", ", method=cx.methods.ProbitNormal(nu=1)"] };
  const UNKNOWN = "is no number of classes: write 10,000 or 10k, 1M or 1.6 million.";
  const byId = (id) => document.getElementById(`explorer-${id}`);
  const many = (k) => k.toLocaleString("en-GB");

  let loading; // of the scripts that compute, once

  // Load the scripts that the page lacks, in their order
  function load(names) {
    const there = [...document.scripts].map(({ src }) => src);
    return Promise.all(names.map((name) => new URL(`${name}.js`, own.src).href).filter((src) => !there.includes(src))
      .map((src) => new Promise((resolve, reject) => {
        const script = Object.assign(document.createElement("script"), { src, async: false, onload: resolve, onerror: reject });
        document.head.append(script);
      })));
  }

  // Per cent to three digits, and to more where three would say all
  function percent(value) {
    const all = value < 1 && Number((100 * value).toPrecision(3)) === 100;
    return `${Number((100 * value).toPrecision(all ? 5 : 3))}\u00a0%`;
  }

  function verdict({ kind, nClasses, observed, beyond: { classes, value, low, high } }) {
    const tested = kind === "curve" ? "Published for" : "Tested on";
    return `${tested} ${many(nClasses)} classes: right in ${percent(observed.at(-1)[1])} of the cases. Among ${many(classes)} `
      + `such classes: right in about ${percent(value)} (95\u00a0% interval: ${percent(low)} to ${percent(high)}).`;
  }

  // A file's name as a word of a shell, and as a text of Python
  const inShell = (name) => (/^[\w.\/-]+$/.test(name) && !name.startsWith("-") ? name : `'${name.replaceAll("'", "'\\''")}'`);
  const inPython = (name) => JSON.stringify(name);

  // The command that gives the same, or why there is none
  function commandOf({ kind, law, written, columns, nClasses, nPoints, observed, beyond: { classes } }, name, drop, every) {
    const end = `${METHODS[law][0]} --to ${classes}`;
    if (law === "one") return { without: "The command cannot fix ν." };
    if (kind === "curve") {
      return { line: `classex extrapolate --curve ${observed.map(([k, value]) => `${k}:${value}`).join(" ")} --points ${nPoints}${end}` };
    }
    if (written === undefined) return { without: "The command reads files whose first line names the columns." };
    if (kind === "wins") return { without: `The command reads ranks: ${nClasses} − wins${columns.ties ? " − ties" : ""}.` };
    if (columns?.label) return { without: "The command does not read the labels of ranks." };
    const how = kind === "rank" ? ` --among ${nClasses}` : (drop.length > 0 ? ` --drop ${drop.map(inShell).join(" ")}` : "") + (every ? " --classes all" : "");
    return { line: `classex extrapolate ${inShell(name)}${how}${end}` };
  }

  // The lines of Python that give the same
  function pythonOf({ kind, law, written, columns, nClasses, nPoints, observed, beyond: { classes } }, name, drop, every) {
    const end = `n_classes=${classes}${METHODS[law][1]})`;
    const ranked = (wins, more = "") => `cx.extrapolate(cx.ranks_from_wins(${wins}, ${nClasses}${more}), ${end}`;
    const after = (...lines) => ["import classex as cx", ...lines].join("\n");
    if (kind === "curve") {
      const [sizes, values] = [0, 1].map((i) => observed.map((point) => point[i]).join(", "));
      return after(`curve = cx.Extrapolator().fit_curve([${sizes}], [${values}], ${nPoints})`, `cx.extrapolate(curve, ${end}`);
    }
    if (kind === "scores") {
      if (written === undefined) return after(`cx.extrapolate(scores, labels, ${end}`);
      const left = (drop.length > 0 ? `, drop=[${drop.map(inPython).join(", ")}]` : "") + (every ? ', classes="all"' : "");
      return after(`found = cx.load_scores(${inPython(name)}${left})`,
        `cx.extrapolate(found.scores, found.labels, classes=found.classes, ${end}`);
    }
    if (written === undefined) return after(ranked(kind === "wins" ? "wins" : `${nClasses} - ranks`));
    if (kind === "rank" && !columns.label && ["ties", undefined].includes(columns.ties)) {
      const [less, more] = columns.ties ? [" - found.ties", ", ties=found.ties"] : ["", ""];
      return after(`found = cx.io.load_ranks(${inPython(name)})`, ranked(`${nClasses} - found.ranks${less}`, more));
    }
    const of = (column) => `data[${inPython(columns[column])}]`;
    const wins = kind === "wins" ? of("wins") : `${nClasses} - ${of("rank")}${columns.ties ? ` - ${of("ties")}` : ""}`;
    const more = (columns.ties ? `, ties=${of("ties")}` : "") + (columns.label ? `, labels=${of("label")}.factorize()[0]` : "");
    const how = { list: "json(NAME)", records: "json(NAME, lines=True)", ",": 'csv(NAME, comment="#")',
      " ": 'csv(NAME, comment="#", sep=r"\\s+")' }[written] ?? `csv(NAME, comment="#", sep=${inPython(written)})`;
    return after("import pandas as pd", `data = pd.read_${how.replace("NAME", () => inPython(name))}`, ranked(wins, more));
  }

  // One box; `changed` hears of every fit, and of none (null), and `options` gives the law and the numbers of classes of a curve
  function box(place) {
    place.innerHTML = MARKUP;
    const form = place.querySelector("form");
    const state = { source: null, found: null, drop: [], every: false, changed: () => {}, options: () => ({ law: "process", sizes: [] }) };
    let ask = null;
    let turn = 0; // of the question whose answer is waited for

    function write(id, text) {
      byId(id).textContent = text;
      byId(id).closest("div").hidden = text === "";
    }

    function say(message, problem = {}) {
      byId("message").textContent = message.replaceAll("--", "\u2060-\u2060-\u2060"); // no line ends within an option
      byId("remedy").hidden = problem.column === undefined;
      byId("remedy").lastElementChild.hidden = !problem.every;
      byId("remedy").dataset.column = problem.column;
    }

    // No prediction stays where another is asked for
    function hideVerdict(message, problem) {
      turn += 1;
      byId("busy").hidden = true;
      for (const id of ["sentence", "command", "python"]) write(id, "");
      say(message, problem);
    }

    function forget(message = "", problem = {}) {
      hideVerdict(message, problem);
      state.found = null;
      state.changed(null);
    }

    // Nothing of other results stays
    function clear(message, problem) {
      forget(message, problem);
      write("ledger", "");
    }

    // The number of classes asked for; undefined for a hundred times as many as were tested
    function wanted() {
      const text = byId("wanted").value.trim();
      if (text === "") return undefined;
      const k = window.classexExplorer.asCount(text);
      if (!(k >= 2 && k <= 1e12)) throw new Error(`“${text}” ${UNKNOWN}`);
      return k;
    }

    function show(found) {
      state.found = found;
      if (Number.isNaN(found.beyond.value)) throw new Error(`The curve begins at ${many(found.observed[0][0])} classes: ask for no fewer.`);
      const given = [found, state.source.name ?? { rank: "ranks.csv", scores: "scores.csv", wins: "wins.csv" }[found.kind], state.drop, state.every];
      const { line, without } = commandOf(...given);
      write("sentence", verdict(found));
      write("command", line ?? without);
      byId("command").classList.toggle("without", line === undefined);
      write("python", pythonOf(...given));
      say(found.warning ?? "");
    }

    // The field for a number without which nothing is computed
    function demand(asks, missing) {
      form.hidden = asks === undefined;
      if (asks !== undefined) form.querySelector("label").textContent = ASKED[asks];
      if (missing) byId("count").focus();
    }

    async function read() {
      clear();
      const mine = turn;
      byId("busy").hidden = false;
      try {
        await (loading ??= load(COMPUTE));
        if (mine !== turn) return;
        ask ??= window.classexExplorer.asker();
        const count = byId("count").value.trim() === "" ? undefined : window.classexExplorer.asCount(byId("count").value);
        if (Number.isNaN(count)) throw new Error(`“${byId("count").value}” ${UNKNOWN.replace(" of classes", "")}`);
        const { name, ...source } = state.source;
        const given = { ...source, ...state.options(), drop: state.drop, every: state.every, nClasses: count, nPoints: count, wanted: wanted() };
        ask({ task: "fit", ...given }, (found, problem) => mine === turn && answer(found, problem, given.wanted));
      } catch ({ message }) {
        clear(message ?? "The scripts of this page could not be loaded.");
      }
    }

    function answer(found, problem, asked) {
      if (problem !== undefined) return clear(problem.message, problem);
      byId("busy").hidden = true;
      demand({ rank: "classes", wins: "classes", curve: "points" }[found.kind], found.asks !== undefined);
      write("ledger", `${state.source.name === undefined ? "" : `${state.source.name}: `}${found.ledger.join("; ")}.`);
      if (found.asks !== undefined) return undefined;
      state.found = found;
      try {
        if (wanted() !== asked) return follow(); // another number was asked for meanwhile
        show(found);
      } catch ({ message }) {
        hideVerdict(message);
      }
      return state.changed(state.found);
    }

    // Another K, with the same results
    function follow() {
      const { found } = state;
      if (found === null) {
        if (state.source !== null && byId("busy").hidden && byId("remedy").hidden && byId("ledger").textContent === "") read();
        return;
      }
      hideVerdict("");
      const mine = turn;
      try {
        ask({ task: "beyond", wanted: wanted() }, (beyond, problem) => {
          if (mine !== turn) return;
          try {
            if (problem !== undefined) throw problem;
            show({ ...found, beyond });
          } catch ({ message }) {
            hideVerdict(message);
          }
          state.changed(state.found);
        });
      } catch ({ message }) {
        hideVerdict(message);
        state.changed({ ...found, beyond: {} });
      }
    }

    // Take a file, or text of some kind with the number of classes where it is known; null is nothing
    function take(source, nClasses = "") {
      Object.assign(state, { source, drop: [], every: false });
      byId("count").value = nClasses;
      if (nClasses === "") demand(undefined);
      if (source === null) clear();
      else read();
    }

    const takeFile = (file) => take({ file, name: file.name });
    byId("file").addEventListener("change", () => {
      if (byId("file").files.length > 0) takeFile(byId("file").files[0]);
      byId("file").value = ""; // the same file may be chosen again
    });
    place.addEventListener("dragover", (event) => {
      event.preventDefault();
      place.classList.add("over");
    });
    place.addEventListener("dragleave", () => place.classList.remove("over"));
    place.addEventListener("drop", (event) => {
      place.classList.remove("over");
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      takeFile(event.dataTransfer.files[0]);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      read();
    });
    byId("count").addEventListener("input", () => forget());
    byId("wanted").addEventListener("input", follow);
    const [leave, keep] = byId("remedy").children;
    leave.addEventListener("click", () => {
      state.drop = [...state.drop, byId("remedy").dataset.column];
      read();
    });
    keep.addEventListener("click", () => {
      state.every = true;
      read();
    });
    return { state, ask: (...question) => ask(...question), read, take };
  }

  for (const place of document.querySelectorAll("[data-classex-box]")) window.classexBox = box(place);
  if (own.dataset.then) loading = load([...COMPUTE, ...own.dataset.then.split(" ")]);
})();
