// Pasted text to ranks: a list or table of wins or ranks, or a table of scores with labels, as people write them.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const MOST_CLASSES = 1e6; // ten times as many take minutes
  const GROUPS = "\u00A0\u202F'’"; // between thousands, beside the mark that is not the decimal one
  const THOUSANDS = { ",": /^[+\-\u2212]?[1-9]\d{0,2}(,\d{3})+$/, ".": /^[+\-\u2212]?[1-9]\d{0,2}(\.\d{3})+$/ };
  const NUMBERS = { ",": grammar(",", "."), ".": grammar("\\.", ",") };
  const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const INDEX_NAMES = ["", "Unnamed: 0", "__index_level_0__"]; // of the column of row names that pandas and R write

  function grammar(mark, between) {
    const whole = `(?:\\d{1,3}(?:[${between}${GROUPS}]\\d{3})+|\\d+)`;
    return new RegExp(`^[+\\-\\u2212]?(?:${whole}(?:${mark}\\d*)?|${mark}\\d+)(?:e[+-]?\\d+)?$`, "i");
  }

  const short = (text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
  const listed = (names) => names.slice(0, 5).map(short).join(", ") + (names.length > 5 ? `, … (${names.length} in all)` : "");
  const where = (row, column) => `Line ${row.number}, column ${column + 1}`;

  // Lines that are not empty, cut into entries at tabs, else at semicolons, else at blanks, else at commas
  function rowsOf(text) {
    const records = explorer.tableOfRecords(text);
    if (records !== undefined) return [{ number: 0, entries: records.header }, ...records.rows];
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
    const pair = lines.every((line) => /^[+-]?\d+,\d+$/.test(line));
    if (pair && lines.every((line) => /,[05]$/.test(line))) return /\t/; // whole numbers and halves with a decimal comma
    if (pair) throw new Error(`“${short(lines[0])}” may be one number or two: put blanks or semicolons between numbers.`);
    const glued = lines.some((line) => /\d,\d/.test(line));
    const blanks = lines.some((line) => /[^,\s]\s+[^,\s]/.test(line));
    // "39, 38" and "39,38" are lists; "0,53 0,21" are decimals apart by blanks
    return blanks && !(glued && lines.some((line) => /,\s/.test(line))) ? /,?\s+/ : /\s*,\s*|\s+/;
  }

  // The rows of a file of values, one by one, as the library's reader cuts them: quotes keep what is between them whole
  function* cutRows(text, mark) {
    let [number, entries, entry, quoted, fresh] = [1, [], "", false, true];
    for (let i = 0; i <= text.length; i++) {
      const sign = text[i];
      if (quoted && sign !== undefined) {
        if (sign !== '"') entry += sign;
        else if (text[i + 1] === '"') entry += text[++i];
        else quoted = false;
      } else if (sign === '"' && fresh) {
        [quoted, fresh] = [true, false];
      } else if (sign === mark) {
        entries.push(entry.trim());
        [entry, fresh] = ["", true];
      } else if (sign === "\n" || sign === "\r" || sign === undefined) {
        if (sign === "\r" && text[i + 1] === "\n") i += 1;
        entries.push(entry.trim());
        if (entries.length > 1 || entries[0] !== "") yield { number, entries };
        [number, entries, entry, fresh] = [number + 1, [], "", true];
      } else {
        entry += sign;
        fresh = false;
      }
    }
  }

  // Where a header has the column “label”, or the only one that is called so but for capitals
  function labelAt(header) {
    if (header.includes("label")) return header.indexOf("label");
    const alike = header.filter((name) => name.toLowerCase() === "label");
    return alike.length === 1 ? header.indexOf(alike[0]) : -1;
  }

  // The file with a header that has a column “label”, cut at tabs, semicolons or commas; undefined if there is none
  function labelledTable(text) {
    const plain = text.replace(/^\uFEFF/, "");
    for (const mark of ["\t", ";", ","]) {
      for (const { entries } of cutRows(plain, mark)) {
        if (labelAt(entries) >= 0) {
          const rows = [...cutRows(plain, mark)];
          const first = rows.findIndex((row) => labelAt(row.entries) >= 0);
          return { header: rows[first].entries, rows: rows.slice(first + 1) };
        }
        if (!entries[0].startsWith("#")) break; // the header is the first line that is no comment
      }
    }
    return undefined;
  }

  // The decimal mark of some entries. A comma or point before three digits alone may also stand between thousands:
  // a point is a decimal point then, and a comma is refused; for whole numbers up to `most`, it stands between thousands
  // beside a number without a mark, unless so many are not possible
  function decimalMark(entries, most, column = entries) {
    const whole = most !== undefined;
    const marked = entries.filter((entry) => /[.,]/.test(entry) && /^[+\-\u2212]?[\d.,\u00A0\u202F'’]+(e[+-]?\d+)?$/i.test(entry));
    const both = marked.find((entry) => entry.includes(",") && entry.includes("."));
    if (both !== undefined) return both.lastIndexOf(",") > both.lastIndexOf(".") ? "," : ".";
    const shaped = (mark) => marked.filter((entry) => entry.includes(mark) && THOUSANDS[mark].test(entry));
    for (const [mark, other] of [[",", "."], [".", ","]]) {
      if (marked.some((entry) => entry.includes(mark) && !THOUSANDS[mark].test(entry))) return mark;
      // such as 9.999, which is no whole number, and 1.000.000
      if (whole && shaped(mark).some((entry) => !/^[^.,]*[.,]000$/.test(entry))) return other;
    }
    const unclear = shaped(",")[0] ?? (whole ? shaped(".")[0] : undefined);
    if (unclear === undefined) return ".";
    const [own, other] = unclear.includes(",") ? [",", "."] : [".", ","];
    if (whole && shaped(own).some((entry) => Number(entry.replace(/[.,]/g, "")) > most)) return own;
    if (whole && column.some((entry) => /^\d+$/.test(entry))) return other;
    const read = short(unclear).replace(",", ".");
    throw new Error(`“${short(unclear)}” may be ${whole ? Number(read) : read} or ${short(unclear).replace(/[.,]/g, "")}: `
      + "put no mark between thousands, and a point before decimals.");
  }

  // A number as it is written with this decimal mark; the other mark may stand between thousands
  function asNumber(row, column, mark) {
    const entry = row.entries[column];
    const plain = entry.replace(new RegExp(`[${mark === "," ? "." : ","}${GROUPS}]`, "g"), "").replace(",", ".");
    const value = NUMBERS[mark].test(entry) ? Number(plain.replace(/^\u2212/, "-")) : NaN;
    if (!Number.isFinite(value)) throw new Error(`${where(row, column)}: “${short(entry)}” is not a number.`);
    return value;
  }

  function asWhole(row, column, mark, name, low, high) {
    const value = asNumber(row, column, mark);
    if (!Number.isInteger(value) || value < low || value > high) {
      const entry = short(row.entries[column]);
      throw new Error(`${where(row, column)}: ${name} must be a whole number from ${low} to ${high}, not ${entry}.`);
    }
    return value;
  }

  const isNumber = (entry) => NUMBERS[","].test(entry) || NUMBERS["."].test(entry);

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
    if (nClasses > MOST_CLASSES) throw new Error("The explorer takes at most 1,000,000 classes; the library takes more.");
    const rows = rowsOf(text);
    const most = nClasses - 1;
    const ranks = { wins: [], ties: [], labels: [], nClasses, distractors: null };
    const add = (row, column, ties, mark) => {
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
      const mark = decimalMark(rows.flatMap((row) => row.entries), nClasses);
      for (const row of rows) row.entries.forEach((_, column) => add(row, column, 0, mark));
      withoutLabels(ranks);
    } else {
      const [own, tied, labelled] = [kind, "ties", "label"].map((name) => header.indexOf(name === "ties" ? "tie" : name));
      // a single column needs no particular name
      const at = own < 0 && header.length === 1 ? 0 : own;
      if (at < 0) throw new Error(`The header must name a column “${kind}”, but is: ${listed(header)}.`);
      if (rows.length === 1) throw new Error("The table has a header but no rows.");
      sameLength(rows.slice(1), header.length, "the header");
      const used = [at, tied, labelled].filter((column) => column >= 0);
      const inColumn = (column) => rows.slice(1).map((row) => row.entries[column]);
      const mark = decimalMark(used.flatMap(inColumn), nClasses, inColumn(at));
      for (const row of rows.slice(1)) {
        add(row, at, tied < 0 ? 0 : asWhole(row, tied, mark, "ties", 0, most), mark);
        if (labelled >= 0) ranks.labels.push(asWhole(row, labelled, mark, "label", 0, most));
      }
      if (labelled < 0) withoutLabels(ranks);
      else explorer.complete(ranks);
    }
    ranks.warning = suspicion(ranks, kind);
    return ranks;
  }

  // A header with a column “label” and one column per class, as the library reads it; or, in a paste, the same apart by
  // blanks, or no header and the label first in every row
  function parseScores(text) {
    const file = explorer.tableOfRecords(text) ?? labelledTable(text);
    if (file !== undefined && labelAt(file.header) < 0) throw new Error(`The header must name one column “label”, but is: ${listed(file.header)}.`);
    const table = explorer.widened(file) ?? pastedTable(rowsOf(text));
    const { rows, columns, at, names } = table.header === null ? table : namedColumns(table);
    if (columns.length < 2) throw new Error("A score matrix needs a label and at least two columns of scores.");
    if (rows.length === 0) throw new Error("The table has a header but no rows.");
    sameLength(rows, table.width ?? table.header.length, table.header === null ? "the first line" : "the header");
    const byName = names !== null && rows.every((row) => names.has(row.entries[at]));
    if (names !== null && !byName) refuseNames(rows, at, [...names.keys()]);
    const used = byName ? columns : [at, ...columns];
    const mark = decimalMark(rows.flatMap((row) => used.map((column) => row.entries[column])));
    const labels = rows.map((row) => (byName ? names.get(row.entries[at])
      : asWhole(row, at, mark, "label", 0, columns.length - 1)));
    const scores = rows.map((row) => columns.map((column) => asNumber(row, column, mark)));
    if (table.header === null && rows[0].entries.every((entry, c) => Number(entry) === c)) {
      throw new Error("The first line is 0, 1, 2 and so on: if these are names of columns, the column “label” is missing.");
    }
    if (names !== null) refuseRowNumbers(scores, [...names.keys()][0], byName ? rows.map((row) => row.entries[at]) : []);
    const counted = warningOfCounts(scores, labels);
    const ranks = explorer.ranksOfScores(scores, labels);
    ranks.warning = suspicion(ranks, "scores") ?? counted;
    return ranks;
  }

  // As the library: a first column of different whole numbers, in order or beside others that are not whole
  function refuseRowNumbers(scores, name, labels) {
    const first = scores.map((row) => row[0]);
    if (first.length < 3 || !first.every(Number.isInteger) || new Set(first).size < first.length || labels.includes(name)) return;
    const inOrder = first.every((value, i) => i === 0 || value === first[i - 1] + 1);
    if (inOrder || scores.some((row) => !row.every(Number.isInteger))) {
      throw new Error(`The first column “${short(name)}” seems to number the rows, but would count as scores: leave it out.`);
    }
  }

  // As the library: counts, one row a class, draw a warning; votes look the same
  function warningOfCounts(scores, labels) {
    const entries = scores.flat();
    const k = scores[0].length;
    if (scores.length !== k || labels.some((label, c) => label !== c)) return undefined;
    if (!entries.every((entry) => Number.isInteger(entry) && entry >= 0 && entry <= 1e9)) return undefined;
    const tests = scores.map((row) => row.reduce((sum, entry) => sum + entry, 0));
    const all = tests.reduce((sum, count) => sum + count, 0);
    const right = scores.reduce((sum, row, c) => sum + row[c], 0);
    const balanced = tests.every((count) => count === tests[0]) && scores.some((row) => new Set(row).size < k);
    const likely = 2 * right >= all || 2 * entries.filter((entry) => entry > 0).length <= entries.length;
    if (!(balanced || likely) || all < 5 * k) return undefined;
    return "Each row is read as the scores of one test point, but they look like a confusion matrix. Its counts give no ranks.";
  }

  // A paste that is no file of the library's: cut at blanks, or without a header
  function pastedTable(rows) {
    const [{ entries }, ...rest] = rows;
    if (labelAt(entries) >= 0) return { header: entries, rows: rest };
    const bare = entries.every(isNumber) || (entries.length > 1 && entries.slice(1).every(isNumber) && rest.length > 0
      && rest.every((row) => !isNumber(row.entries[0])));
    if (!bare) throw new Error(`The header must name one column “label”, but is: ${listed(entries)}.`);
    return { header: null, width: entries.length, rows, at: 0, columns: entries.slice(1).map((_, c) => c + 1), names: null };
  }

  // The columns of scores, their names, and the column of labels, in a table with a header
  function namedColumns({ header, rows }) {
    const at = labelAt(header);
    const columns = header.map((_, c) => c).filter((c) => c !== at && !(c === 0 && INDEX_NAMES.includes(header[0])));
    const names = new Map(columns.map((c, i) => [header[c], i]));
    const own = columns.map((c) => header[c]);
    const again = own.find((name, i) => own.indexOf(name) < i || name === header[at]);
    if (again !== undefined) throw new Error(`Every column needs a name of its own, but two are called “${short(again)}”.`);
    return { rows, at, columns, names };
  }

  // Labels that are not all names of columns must be numbers of columns, and the names must not look like such numbers
  function refuseNames(rows, at, names) {
    const counted = names.every((name) => /^\d+$/.test(name)) && names.some((name, i) => name !== String(i));
    if (!counted && rows.every((row) => PLAIN.test(row.entries[at]))) return;
    const unknown = rows.filter(({ entries }) => !names.includes(entries[at]));
    const row = unknown.find(({ entries }) => !PLAIN.test(entries[at])) ?? unknown[0];
    throw new Error(`${where(row, at)}: the label “${short(row.entries[at])}” is no name of a column (${listed(names)}).`);
  }

  // Numbers of classes from a list such as "10, 1.000, 1e9": a point before three digits stands between thousands
  function parseSizes(text) {
    const sizes = text.split(/[\s,;]+/).filter((entry) => entry !== "").map((entry) => Number(
      THOUSANDS["."].test(entry) ? entry.replaceAll(".", "") : entry));
    const bad = sizes.find((k) => !Number.isInteger(k) || k < 1 || k > 1e12);
    if (sizes.length === 0 || bad !== undefined) {
      throw new Error("Numbers of classes must be whole numbers from 1 to 1e12, separated by commas or blanks.");
    }
    return sizes;
  }

  explorer.parts.push(part);
  Object.assign(explorer, { parseRanks, parseScores, parseSizes });
})();
