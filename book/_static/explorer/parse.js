// Pasted text to ranks: a list or table of wins or ranks, or a table of scores with labels, as people write them.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const THOUSANDS = { ",": /^[+-]?\d{1,3}(,\d{3})+$/, ".": /^[+-]?\d{1,3}(\.\d{3})+$/ };

  // Lines that are not empty, cut into entries at tabs, else at semicolons, else at blanks, else at commas
  function rowsOf(text) {
    const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)
      .map((line, i) => ({ number: i + 1, line: line.trim() }))
      .filter(({ line }) => line !== "" && !line.startsWith("#"));
    if (lines.length === 0) throw new Error("There is nothing to read yet.");
    const cut = separator(lines.map(({ line }) => line));
    return lines.map(({ number, line }) => ({
      number,
      entries: line.split(cut).map((entry) => entry.trim().replace(/^["'](.*)["']$/, "$1").trim())
        .filter((entry, i, all) => entry !== "" || i < all.length - 1),
    }));
  }

  function separator(lines) {
    // under a single name stands a single column
    if (lines.length > 1 && /^[^\d\s,;]\S*$/.test(lines[0]) && !/[,;]/.test(lines[0])) return /\t/;
    if (lines.some((line) => line.includes("\t"))) return /\t/;
    if (lines.some((line) => line.includes(";"))) return /\s*;\s*/;
    const glued = lines.some((line) => /\d,\d/.test(line));
    const blanks = lines.some((line) => /[^,\s]\s+[^,\s]/.test(line));
    // "39, 38" and "39,38" are lists; "0,53 0,21" are decimals apart by blanks
    return blanks && !(glued && lines.some((line) => /,\s/.test(line))) ? /,?\s+/ : /\s*,\s*|\s+/;
  }

  // What the entries with one kind of mark say about it: the decimal mark of the text, or undefined
  function decimalMark(rows) {
    const entries = rows.flatMap((row) => row.entries).filter((entry) => /^[+-]?[\d.,]+(e[+-]?\d+)?$/i.test(entry));
    for (const entry of entries) {
      const [comma, point] = [entry.lastIndexOf(","), entry.lastIndexOf(".")];
      if (comma >= 0 && point >= 0) return comma > point ? "," : ".";
    }
    for (const mark of [",", "."]) {
      const marked = entries.filter((entry) => entry.includes(mark));
      if (marked.some((entry) => !THOUSANDS[mark].test(entry))) return mark;
    }
    return undefined;
  }

  const where = (row, column) => `Line ${row.number}, column ${column + 1}`;

  // A number as it is written with this decimal mark; the other mark may stand between thousands
  function asNumber(row, column, mark) {
    const entry = row.entries[column];
    let plain = entry.replace(/[\u00A0\u202F'’](?=\d{3})/g, "").replace(/^\u2212/, "-");
    if (mark === ",") plain = plain.replace(/\./g, "").replace(",", ".");
    else plain = plain.replace(/,(?=\d{3}(\D|$))/g, "");
    const value = plain === "" ? NaN : Number(plain);
    if (!Number.isFinite(value)) throw new Error(`${where(row, column)}: “${entry}” is not a number.`);
    return value;
  }

  function asWhole(row, column, mark, name, low, high) {
    const entry = row.entries[column];
    let value = asNumber(row, column, mark);
    // a point or comma before three digits may stand between thousands, if so many are possible
    const grouped = [",", "."].find((between) => THOUSANDS[between].test(entry));
    if (grouped !== undefined) {
      const joined = Number(entry.split(grouped).join(""));
      if (joined <= high) value = joined;
    }
    if (!Number.isInteger(value) || value < low || value > high) {
      throw new Error(`${where(row, column)}: ${name} must be a whole number from ${low} to ${high}, not ${entry}.`);
    }
    return value;
  }

  const isNumber = (entry) => /^[+-]?(\d|[.,]\d)[\d.,'’\u00A0\u202F]*(e[+-]?\d+)?$/i.test(entry.replace(/^\u2212/, "-"));

  function sameLength(rows, length, what) {
    for (const row of rows) {
      if (row.entries.length !== length) {
        throw new Error(`Line ${row.number}: ${row.entries.length} entries, but ${what} has ${length}.`);
      }
    }
  }

  // Points without labels: each is of a class of its own; more points than classes all weigh the same
  function withoutLabels(ranks) {
    ranks.labels = ranks.wins.map((_, j) => j % ranks.nClasses);
    ranks.note = "There are no labels, so every test point counts as a class of its own.";
    return explorer.complete(ranks, ranks.wins.length <= ranks.nClasses);
  }

  // Whether the truth beats fewer classes than by chance, by more than four standard errors
  function suspicion(ranks, kind) {
    const most = ranks.nClasses - 1;
    const share = ranks.wins.reduce((sum, won, j) => sum + won + ranks.ties[j] / 2, 0) / (most * ranks.wins.length);
    if (share >= 0.45 || (0.5 - share) * Math.sqrt(12 * ranks.wins.length) <= 4) return undefined;
    const below = `the right class would beat only ${Math.round(100 * share)} % of the others, fewer than by chance`;
    if (kind === "wins") return `Read as wins, ${below}. Are these ranks, with 1 the best?`;
    if (kind === "rank") return `Read as ranks, ${below}. Are these wins?`;
    return `With these scores ${below}. Are they distances? Higher must be better.`;
  }

  // kind is "wins" (wrong labels beaten) or "rank" (1 is best)
  function parseRanks(text, kind, nClasses) {
    if (!Number.isInteger(nClasses) || nClasses < 2) throw new Error("State the number of classes, at least 2.");
    const rows = rowsOf(text);
    const mark = decimalMark(rows);
    const most = nClasses - 1;
    const ranks = { wins: [], ties: [], labels: [], nClasses, distractors: null };
    const add = (row, column, ties) => {
      const wins = kind === "wins" ? asWhole(row, column, mark, "wins", 0, most)
        : nClasses - asWhole(row, column, mark, "rank", 1, nClasses) - ties;
      if (wins < 0 || wins + ties > most) {
        const entry = row.entries[column];
        throw new Error(`${where(row, column)}: ${kind} ${entry} with ${ties} ties is too much for ${nClasses} classes.`);
      }
      ranks.wins.push(wins);
      ranks.ties.push(ties);
    };
    const header = rows[0].entries.map((name) => name.toLowerCase().replace(/^(rank|tie|label)s$/, "$1").replace("class", "label"));
    if (rows[0].entries.some(isNumber)) {
      for (const row of rows) row.entries.forEach((_, column) => add(row, column, 0));
      withoutLabels(ranks);
    } else {
      const [own, tied, labelled] = [kind, "ties", "label"].map((name) => header.indexOf(name === "ties" ? "tie" : name));
      // a single column needs no particular name
      const at = own < 0 && header.length === 1 ? 0 : own;
      if (at < 0) throw new Error(`The header must name a column “${kind}”, but is: ${header.join(", ")}.`);
      if (rows.length === 1) throw new Error("The table has a header but no rows.");
      sameLength(rows.slice(1), header.length, "the header");
      for (const row of rows.slice(1)) {
        add(row, at, tied < 0 ? 0 : asWhole(row, tied, mark, "ties", 0, most));
        if (labelled >= 0) ranks.labels.push(asWhole(row, labelled, mark, "label", 0, most));
      }
      if (labelled < 0) withoutLabels(ranks);
      else explorer.complete(ranks);
    }
    ranks.warning = suspicion(ranks, kind);
    return ranks;
  }

  // A header with a column “label” and one column per class, or no header and the label first in every row
  function parseScores(text) {
    let rows = rowsOf(text);
    const names = rows[0].entries;
    const headed = !names.every(isNumber) && !(names.length > 1 && names.slice(1).every(isNumber) && rows.length > 1
      && rows.slice(1).every((row) => !isNumber(row.entries[0])));
    const header = headed ? names.map((name) => name.toLowerCase()) : ["label", ...names.slice(1).map((_, c) => String(c))];
    if (headed) {
      rows = rows.slice(1);
      if (header.filter((name) => name === "label").length !== 1) {
        throw new Error(`The header must name one column “label”, but is: ${header.join(", ")}.`);
      }
    }
    const nClasses = header.length - 1;
    if (nClasses < 2) throw new Error("A score matrix needs a label and at least two columns of scores.");
    if (rows.length === 0) throw new Error("The table has a header but no rows.");
    sameLength(rows, header.length, headed ? "the header" : "the first line");
    const at = header.indexOf("label");
    const columns = header.filter((_, c) => c !== at);
    const mark = decimalMark(rows);
    const labels = rows.map((row) => {
      // a label may be the name of a column
      const named = columns.indexOf(row.entries[at].toLowerCase());
      return named >= 0 && headed ? named : asWhole(row, at, mark, "label", 0, nClasses - 1);
    });
    const scores = rows.map((row) => header.flatMap((_, c) => (c === at ? [] : [asNumber(row, c, mark)])));
    const ranks = explorer.ranksOfScores(scores, labels);
    ranks.warning = suspicion(ranks, "scores");
    return ranks;
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

  explorer.parts.push(part);
  Object.assign(explorer, { parseRanks, parseScores, parseSizes });
})();
