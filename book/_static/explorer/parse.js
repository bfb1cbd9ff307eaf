// Pasted text to ranks: a list or table of wins or ranks, or a table of scores with labels.
(function () {
  "use strict";

  const explorer = window.classexExplorer;

  // Entries of every line that is not empty, with the number of the line
  function rowsOf(text) {
    return text.split(/\r?\n/)
      .map((line, i) => ({ number: i + 1, entries: line.split(/[\s,;]+/).filter((entry) => entry !== "") }))
      .filter((row) => row.entries.length > 0);
  }

  function asNumber(entry, row) {
    const value = Number(entry);
    if (!Number.isFinite(value)) throw new Error(`Line ${row.number}: “${entry}” is not a number.`);
    return value;
  }

  function asWhole(entry, row, name, low, high) {
    const value = asNumber(entry, row);
    if (!Number.isInteger(value) || value < low || value > high) {
      throw new Error(`Line ${row.number}: ${name} must be a whole number from ${low} to ${high}, not ${entry}.`);
    }
    return value;
  }

  // Rows of a table under a header, as objects by the header's names
  function table(rows, header) {
    return rows.map((row) => {
      if (row.entries.length !== header.length) {
        throw new Error(`Line ${row.number}: ${row.entries.length} entries, but the header has ${header.length}.`);
      }
      return { row, value: (name) => row.entries[header.indexOf(name)] };
    });
  }

  function checkClasses(labels, nClasses) {
    const seen = new Set(labels);
    for (let c = 0; c < nClasses; c++) {
      if (!seen.has(c)) {
        throw new Error(`Every class needs at least one test point, but class ${c} of 0 to ${nClasses - 1} has none.`);
      }
    }
  }

  // Labels of points that stand class by class, as many for every class
  function labelsInOrder(nPoints, nClasses) {
    if (nPoints % nClasses !== 0) {
      throw new Error(`${nPoints} test points cannot be shared out evenly among ${nClasses} classes: `
        + "write a table with a column “label”.");
    }
    return Array.from({ length: nPoints }, (_, j) => Math.floor(j * nClasses / nPoints));
  }

  // kind is "wins" (wrong labels beaten) or "rank" (1 is best)
  function parseRanks(text, kind, nClasses) {
    if (!Number.isInteger(nClasses) || nClasses < 2) throw new Error("State the number of classes, at least 2.");
    const rows = rowsOf(text);
    if (rows.length === 0) throw new Error("There is nothing to read yet.");
    const most = nClasses - 1;
    const ranks = { wins: [], ties: [], labels: [], nClasses, distractors: null };
    const add = (row, entry, ties) => {
      const wins = kind === "wins" ? asWhole(entry, row, "wins", 0, most)
        : nClasses - asWhole(entry, row, "rank", 1, nClasses) - ties;
      if (wins < 0 || wins + ties > most) {
        throw new Error(`Line ${row.number}: ${kind} ${entry} with ${ties} ties is too much for ${nClasses} classes.`);
      }
      ranks.wins.push(wins);
      ranks.ties.push(ties);
    };
    const header = rows[0].entries.map((name) => name.toLowerCase());
    if (header.every((name) => Number.isFinite(Number(name)))) {
      for (const row of rows) for (const entry of row.entries) add(row, entry, 0);
      ranks.labels = labelsInOrder(ranks.wins.length, nClasses);
      return ranks;
    }
    if (!header.includes(kind)) throw new Error(`The header must name a column “${kind}”, but is: ${header.join(", ")}.`);
    for (const { row, value } of table(rows.slice(1), header)) {
      add(row, value(kind), header.includes("ties") ? asWhole(value("ties"), row, "ties", 0, most) : 0);
      if (header.includes("label")) ranks.labels.push(asWhole(value("label"), row, "label", 0, most));
    }
    if (ranks.wins.length === 0) throw new Error("The table has a header but no rows.");
    if (!header.includes("label")) ranks.labels = labelsInOrder(ranks.wins.length, nClasses);
    checkClasses(ranks.labels, nClasses);
    return ranks;
  }

  // A header with a column “label” and one column per class, or no header and the label first in every row
  function parseScores(text) {
    let rows = rowsOf(text);
    if (rows.length === 0) throw new Error("There is nothing to read yet.");
    let header = rows[0].entries.map((name) => name.toLowerCase());
    if (header.every((name) => Number.isFinite(Number(name)))) {
      header = ["label", ...header.slice(1).map((_, c) => `class ${c}`)];
    } else {
      rows = rows.slice(1);
      if (header.filter((name) => name === "label").length !== 1) {
        throw new Error(`The header must name one column “label”, but is: ${header.join(", ")}.`);
      }
    }
    const nClasses = header.length - 1;
    if (nClasses < 2) throw new Error("A score matrix needs a label and at least two columns of scores.");
    if (rows.length === 0) throw new Error("The table has a header but no rows.");
    const at = header.indexOf("label");
    const entries = table(rows, header);
    const labels = entries.map(({ row, value }) => asWhole(value("label"), row, "label", 0, nClasses - 1));
    checkClasses(labels, nClasses);
    const scores = rows.map((row) => row.entries.filter((_, c) => c !== at).map((entry) => asNumber(entry, row)));
    return explorer.ranksOfScores(scores, labels);
  }

  // Numbers of classes from a list such as "10, 1000, 1e9"
  function parseSizes(text) {
    const sizes = text.split(/[\s,;]+/).filter((entry) => entry !== "").map(Number);
    const bad = sizes.find((k) => !Number.isInteger(k) || k < 1 || k > 1e12);
    if (sizes.length === 0 || bad !== undefined) {
      throw new Error("Numbers of classes must be whole numbers from 1 to 1e12, separated by commas or blanks.");
    }
    return sizes;
  }

  Object.assign(explorer, { parseRanks, parseScores, parseSizes });
})();
