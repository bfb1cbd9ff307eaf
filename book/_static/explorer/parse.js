// Text to ranks or to a curve: a list or table of wins or ranks, a table of scores with labels, or one of accuracies, as
// people write them; and the ledger, which says what a row is and what was read.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { CURVE, labelAt, listed, rowsOf, short, tableOf, widened } = explorer;
  const MOST_CLASSES = 1e6; // ten times as many take minutes
  const GROUPS = "\u00A0\u202F'’"; // between thousands, beside the mark that is not the decimal one
  const THOUSANDS = { ",": /^[+\-\u2212]?[1-9]\d{0,2}(,\d{3})+$/, ".": /^[+\-\u2212]?[1-9]\d{0,2}(\.\d{3})+$/ };
  const NUMBERS = { ",": grammar(",", "."), ".": grammar("\\.", ",") };
  const ROUNDING = 1e-9; // of a share
  const [LEAST, MANY, TIMES, EXACT, UNROUNDED] = [3, 10, 2, 1e-6, 1e-2]; // as _LEAST and so on of classex._checks
  const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const INDEX_NAMES = ["", "Unnamed: 0", "__index_level_0__"]; // of the column of row names that pandas and R write

  function grammar(mark, between) {
    const whole = `(?:\\d{1,3}(?:[${between}${GROUPS}]\\d{3})+|\\d+)`;
    return new RegExp(`^[+\\-\\u2212]?(?:${whole}(?:${mark}\\d*)?|${mark}\\d+)(?:e[+-]?\\d+)?$`, "i");
  }

  const where = (row, column) => `Line ${row.number}, column ${column + 1}`;

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

  // A number as it is written with this decimal mark, else NaN; the other mark may stand between thousands
  function numberOf(entry, mark) {
    const plain = entry.replace(new RegExp(`[${mark === "," ? "." : ","}${GROUPS}]`, "g"), "").replace(",", ".");
    return NUMBERS[mark].test(entry) ? Number(plain.replace(/^\u2212/, "-")) : NaN;
  }

  function asNumber(row, column, mark) {
    const value = numberOf(row.entries[column], mark);
    if (!Number.isFinite(value)) throw new Error(`${where(row, column)}: “${short(row.entries[column])}” is not a number.`);
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

  const many = (n) => n.toLocaleString("en-GB");
  const counted = (n, one, more = `${one}s`) => `${many(n)} ${n === 1 ? one : more}`;
  const quoted = (names) => listed(names.map((name) => `“${name}”`));

  // How many rows are copies of others: each counts
  function copies(rows) {
    const n = rows.length - new Set(rows.map(({ entries }) => entries.join("\n"))).size;
    return n > 0 ? [`${counted(n, "row")} repeated: each counts`] : [];
  }

  // Points without labels: each is of a class of its own; more points than classes all weigh the same
  function withoutLabels(ranks) {
    ranks.labels = ranks.wins.map((_, j) => j % ranks.nClasses);
    return explorer.complete(ranks, ranks.wins.length <= ranks.nClasses);
  }

  // A warning wherever the truth beats fewer classes than by chance, or is right less often; with a guess at the reason if it
  // is so by more than four standard errors
  function suspicion(ranks, kind) {
    const most = ranks.nClasses - 1;
    const share = ranks.wins.reduce((sum, won, j) => sum + won + ranks.ties[j] / 2, 0) / (most * ranks.wins.length);
    if (share < 0.45 && (0.5 - share) * Math.sqrt(12 * ranks.wins.length) > 4) {
      const below = `the right class would beat only ${Math.round(100 * share)} % of the others, fewer than by chance`;
      if (kind === "wins") return `Read as wins, ${below}. Are these ranks, with 1 the best?`;
      if (kind === "rank") return `Read as ranks, ${below}. Are these wins?`;
      return `With these scores ${below}. Are they distances? Higher must be better.`;
    }
    const [accuracy] = explorer.observedAccuracy(ranks, [ranks.nClasses]);
    const [two] = explorer.observedAccuracy(ranks, [2]);
    const below = accuracy < 1 / ranks.nClasses - ROUNDING ? ranks.nClasses : two < 0.5 - ROUNDING ? 2 : undefined;
    return below === undefined ? undefined : belowChance(below === 2 ? two : accuracy, below);
  }

  const belowChance = (accuracy, k) => `The accuracy with ${counted(k, "class", "classes")}, ${Number((100 * accuracy).toPrecision(2))} %, `
    + `is below chance, ${Number((100 / k).toPrecision(2))} %.`;

  // A table or list of ranks: its header, null for a list, and its rows
  function rowsOfRanks(text) {
    const { header, rows } = tableOf(text) ?? { header: null, rows: rowsOf(text) };
    if (header !== null || rows[0].entries.some(isNumber)) return { header, rows };
    return { header: rows[0].entries, rows: rows.slice(1) };
  }

  // What can be said of ranks before it is known among how many classes they are
  function countOfRanks(text, kind) {
    const { header, rows } = rowsOfRanks(text);
    const n = header === null ? rows.reduce((sum, { entries }) => sum + entries.length, 0) : rows.length;
    return [counted(n, kind === "wins" ? "number of wins" : "rank", kind === "wins" ? "numbers of wins" : "ranks")];
  }

  // kind is "wins" (wrong labels beaten) or "rank" (1 is best)
  function parseRanks(text, kind, nClasses) {
    if (!Number.isInteger(nClasses) || nClasses < 2) throw new Error("State the number of classes, at least 2.");
    if (nClasses > MOST_CLASSES) throw new Error("The explorer takes at most 1,000,000 classes; the library takes more.");
    const { header, rows } = rowsOfRanks(text);
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
    const more = header === null ? [] : addColumns(ranks, header, rows, kind, add);
    if (header === null) {
      const mark = decimalMark(rows.flatMap((row) => row.entries), nClasses);
      for (const row of rows) row.entries.forEach((_, column) => add(row, column, 0, mark));
    }
    const labelled = ranks.labels.length > 0;
    if (labelled) explorer.complete(ranks);
    else withoutLabels(ranks);
    ranks.warning = suspicion(ranks, kind);
    ranks.ledger = [`${counted(ranks.wins.length, "test point")}${labelled ? ` of ${counted(ranks.nTested, "class", "classes")}` : ""}, each with its `
      + `${kind} among ${counted(nClasses, "class", "classes")}`, ...more];
    if (!labelled) ranks.ledger.push("no labels, so every test point counts as a class of its own");
    return ranks;
  }

  // Add the rows of a table with a header; say what else is in it
  function addColumns(ranks, header, rows, kind, add) {
    const names = header.map((name) => name.toLowerCase().replace(/^(rank|tie|label)s$/, "$1").replace("class", "label"));
    const [own, tied, labelled] = [kind, "tie", "label"].map((name) => names.indexOf(name));
    // a single column needs no particular name
    const at = own < 0 && header.length === 1 ? 0 : own;
    if (at < 0) throw new Error(`The header must name a column “${kind}”, but is: ${listed(header)}.`);
    if (rows.length === 0) throw new Error("The table has a header but no rows.");
    sameLength(rows, header.length, "the header");
    const inColumn = (column) => rows.map((row) => row.entries[column]);
    const mark = decimalMark([at, tied].filter((column) => column >= 0).flatMap(inColumn), ranks.nClasses, inColumn(at));
    for (const row of rows) add(row, at, tied < 0 ? 0 : asWhole(row, tied, mark, "ties", 0, ranks.nClasses - 1), mark);
    if (labelled >= 0) {
      const names = [...new Set(inColumn(labelled))];
      if (names.length > ranks.nClasses) throw new Error(`There are ${names.length} labels, but ${ranks.nClasses} classes.`);
      const codes = new Map(names.map((name, code) => [name, code]));
      ranks.labels = inColumn(labelled).map((name) => codes.get(name));
    }
    ranks.columns = { [kind]: header[at], ties: header[tied], label: header[labelled] };
    const others = header.filter((_, c) => ![at, tied, labelled].includes(c));
    if (others.length === 0) return [];
    return [`${others.length === 1 ? "column" : "columns"} ${quoted(others)} not read`, ...copies(rows)];
  }

  // Accuracies with several numbers of classes, as shares or in per cent, and the number of test points behind them
  function parseCurve(text, nPoints) {
    const { header, rows } = tableOf(text);
    const [k, at] = CURVE.map((alike) => header.findIndex((name) => alike.includes(name.toLowerCase())));
    sameLength(rows, header.length, "the header");
    const bare = rows.map((row) => ({ ...row, entries: row.entries.map((entry) => entry.replace(/\s*%$/, "")) }));
    const mark = decimalMark(bare.map((row) => row.entries[at]));
    const accuracy = bare.map((row) => asNumber(row, at, mark));
    const signs = rows.filter((row) => row.entries[at].endsWith("%")).length;
    if (signs > 0 && signs < rows.length) throw new Error("Some accuracies are in per cent: write % after each, or after none.");
    const percent = signs > 0;
    if (!percent && Math.max(...accuracy) > 1) throw new Error(`Accuracies go up to ${Math.max(...accuracy)}: write shares, or 91% for 0.91.`);
    const points = rows.map((row, i) => ({ k: asCount(row.entries[k]), value: accuracy[i] / (percent ? 100 : 1), row }));
    points.sort((a, b) => a.k - b.k);
    points.forEach(({ k: size, value, row }, i) => {
      if (!(size >= 2)) throw new Error(`${where(row, k)}: a number of classes must be at least 2.`);
      if (!(value >= 0 && value <= 1)) throw new Error(`${where(row, at)}: “${row.entries[at]}” is no accuracy.`);
      if (i > 0 && size === points[i - 1].k) throw new Error(`${where(row, k)}: ${size} classes come twice.`);
    });
    const [sizes, value] = [points.map((point) => point.k), points.map((point) => point.value)];
    const others = header.filter((_, c) => c !== k && c !== at);
    const ledger = [`${counted(rows.length, "accuracy", "accuracies")}${percent ? " in per cent" : ""}, with ${many(sizes[0])} to ${many(sizes.at(-1))} classes`];
    if (others.length > 0) ledger.push(`${others.length === 1 ? "column" : "columns"} ${quoted(others)} not read`);
    const below = points.find((point) => point.value < 1 / point.k - ROUNDING);
    return { sizes, value, nPoints, ledger, warning: below && belowChance(below.value, below.k) };
  }

  // A header with a column “label” and one column per class, as the library reads it; or, in a paste, the same apart by
  // blanks, or no header and the label first in every row. Columns in `drop` are left out; `every` other one is a class
  function parseScores(text, drop = [], every = false) {
    const file = tableOf(text);
    if (file !== undefined && labelAt(file.header) < 0) throw new Error(`The header must name one column “label”, but is: ${listed(file.header)}.`);
    const table = widened(file) ?? pastedTable(rowsOf(text));
    const texts = table.header === null ? [] : textColumns(table, drop);
    const { rows, columns, at, names } = table.header === null ? table : namedColumns(table, [...drop, ...texts]);
    if (columns.length < 2) throw new Error("A score matrix needs a label and at least two columns of scores.");
    if (rows.length === 0) throw new Error("The table has a header but no rows.");
    sameLength(rows, table.width ?? table.header.length, table.header === null ? "the first line" : "the header");
    const byName = names !== null && rows.every((row) => names.has(row.entries[at]));
    if (names !== null && !byName) refuseNames(rows, at, [...names.keys()]);
    const used = byName ? columns : [at, ...columns];
    const mark = decimalMark(rows.flatMap((row) => used.map((column) => row.entries[column])));
    const labels = rows.map((row) => (byName ? names.get(row.entries[at])
      : asWhole(row, at, mark, "label", 0, columns.length - 1)));
    const own = names === null ? columns.map((_, i) => String(i)) : [...names.keys()];
    const scores = rows.map((row) => columns.map((column) => asNumber(row, column, mark)));
    if (table.header === null && rows[0].entries.every((entry, c) => Number(entry) === c)) {
      throw new Error("The first line is 0, 1, 2 and so on: if these are names of columns, the column “label” is missing.");
    }
    if (names !== null) refuseRowNumbers(scores, own[0], byName ? rows.map((row) => row.entries[at]) : []);
    const others = unnamed(scores, labels, own, every);
    const counts = warningOfCounts(scores, labels);
    const ranks = explorer.ranksOfScores(scores, labels);
    ranks.warning = suspicion(ranks, "scores") ?? counts;
    ranks.ledger = [`${counted(rows.length, "test point")}, ${counted(own.length, "class", "classes")}`, ...others,
      ...(mark === "," ? ["commas are decimal marks"] : []),
      ...texts.map((name) => `column “${short(name)}” names no class and holds no numbers: left out`),
      ...drop.map((name) => `column “${short(name)}” left out`), ...copies(rows)];
    return ranks;
  }

  // What there is to say of columns that no label names: they are wrong classes, unless they look like something else
  function unnamed(scores, labels, names, every) {
    const named = [...new Set(labels)];
    const left = names.map((_, i) => i).filter((i) => !named.includes(i));
    if (left.length === 0) return [];
    const [column, why] = every || scores.length < LEAST ? [] : unlike(scores, named, left) ?? [];
    if (why !== undefined) throw stranger(names[column], `${why}, and no label names it`, true);
    if (2 * named.length <= names.length) return [`${counted(left.length, "class", "classes")} without test points`];
    return [`no label names the ${left.length === 1 ? "column" : "columns"} ${quoted(left.map((i) => names[i]))}: `
      + `${left.length === 1 ? "it counts as a wrong class" : "they count as wrong classes"}`];
  }

  // As the library (classex._checks.refuse_other_columns): the first column left that is unlike the named ones, and why
  function unlike(scores, named, left) {
    const columns = scores[0].map((_, c) => scores.map((row) => row[c]));
    const sum = (values) => values.reduce((total, value) => total + value, 0);
    const [sums, sizes] = [scores.map(sum), scores.map((row) => sum(row.map(Math.abs)))];
    const whole = columns.map((values) => values.every(Number.isInteger) && values.some((value) => value !== values[0]));
    const most = 2 * named.length > columns.length;
    for (const c of left) {
      const total = columns[c].some((value) => value !== 0)
        && columns[c].every((value, j) => Math.abs(2 * value - sums[j]) <= EXACT * sizes[j]);
      if (total && columns.length >= LEAST) return [c, "holds the sums of the other columns"];
      if (whole[c] && (most || 2 * whole.filter(Boolean).length < columns.length)) return [c, "holds whole numbers"];
    }
    const others = named.map((c) => columns[c]);
    const extremes = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
    const range = (values) => extremes(values)[1] - extremes(values)[0];
    const constant = (totals) => others.every((values) => values.every((value) => value >= 0))
      && range(totals) <= UNROUNDED * Math.max(...others.map(range));
    if (!most || constant(sums)) return undefined; // probabilities that sum to 1 with these columns are all those of classes
    const mean = (values) => sum(values) / values.length;
    const deviations = columns.map((values) => {
      const middle = mean(values);
      return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
    });
    const [low, high] = extremes(named.map((c) => deviations[c]));
    const [least, largest] = extremes(others.flat());
    const kinds = columns.map((values) => new Set(values).size);
    const fewest = Math.min(...named.map((c) => kinds[c]));
    for (const c of left) {
      const sorted = [...columns[c]].sort((a, b) => a - b);
      const middle = (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
      const alike = least <= middle && middle <= largest && low / TIMES <= deviations[c] && deviations[c] <= high * TIMES;
      if (fewest >= MANY && kinds[c] * TIMES <= fewest) return [c, `repeats ${kinds[c]} values`];
      if (scores.length >= MANY && !alike) return [c, "has another range than the others"];
    }
    const alone = scores.map((row) => sum(named.map((c) => row[c])));
    const beside = left.find((c) => constant(alone) || constant(sums.map((total, j) => total - columns[c][j])));
    return beside === undefined ? undefined : [beside, "stands beside columns with a constant sum"];
  }

  // As the library: columns of texts, which no label names, are left out, unless their texts repeat as names of subjects do
  function textColumns({ header, rows }, drop) {
    const at = labelAt(header);
    const labels = new Set(rows.map(({ entries }) => entries[at]));
    const isText = (entry) => entry !== undefined && entry !== "" && !isNumber(entry);
    const texts = header.map((_, c) => c).filter((c) => c !== at && !drop.includes(header[c]) && !labels.has(header[c])
      && rows.length > 0 && rows.every(({ entries }) => isText(entries[c])));
    for (const c of texts) {
      const count = new Set(rows.map(({ entries }) => entries[c])).size;
      if (count > 1 && count < rows.length) throw stranger(header[c], "names no class, and its names repeat", false);
    }
    return texts.map((c) => header[c]);
  }

  // The refusal of a column, which may be left out or, if it holds numbers, be said to be a class
  function stranger(column, why, every) {
    const name = short(column);
    const all = every ? ", or that all columns are classes (--classes all)" : "";
    return Object.assign(new Error(`The column “${name}” ${why}. Leave it out (--drop ${name}), or say on the command line that it names `
      + `the unit of each row, such as its subject (--units ${name})${all}.`), { column, every });
  }

  // As the library: a first column of different whole numbers, in order or beside others that are not whole
  function refuseRowNumbers(scores, name, labels) {
    const first = scores.map((row) => row[0]);
    if (first.length < 3 || !first.every(Number.isInteger) || new Set(first).size < first.length || labels.includes(name)) return;
    const inOrder = first.every((value, i) => i === 0 || value === first[i - 1] + 1);
    if (inOrder || scores.some((row) => !row.every(Number.isInteger))) {
      const why = `The first column “${short(name)}” seems to number the rows, but would count as scores: leave it out.`;
      throw Object.assign(new Error(why), { column: name, every: false });
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
  function namedColumns({ header, rows }, drop) {
    const at = labelAt(header);
    const columns = header.map((_, c) => c).filter((c) => c !== at && !drop.includes(header[c])
      && !(c === 0 && INDEX_NAMES.includes(header[0])));
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

  // A number of classes such as 10,000 or 10k, 1M or 1.6 million; else NaN
  function asCount(text) {
    const [, grouped] = /^\s*(\d{1,3}(?:[.,'’\s]\d{3})+)\s*$/.exec(text) ?? [];
    if (grouped !== undefined) return Number(grouped.replace(/\D/g, ""));
    const [, digits, unit] = /^\s*(\d*[.,]?\d+(?:e\+?\d+)?)\s*(k|thousand|m|million)?\s*$/i.exec(text) ?? [];
    const count = Number(digits?.replace(",", ".")) * ({ k: 1e3, thousand: 1e3, m: 1e6, million: 1e6 }[unit?.toLowerCase()] ?? 1);
    return Math.abs(count - Math.round(count)) < ROUNDING * count ? Math.round(count) : NaN; // 1.001 * 1000
  }

  // Numbers of classes from a list such as "10, 1.000, 10k, 1e9": a point before three digits stands between thousands
  function parseSizes(text) {
    const sizes = text.split(/[\s,;]+/).filter((entry) => entry !== "").map(asCount);
    if (sizes.length === 0 || !sizes.every((k) => k >= 1 && k <= 1e12)) {
      throw new Error("Numbers of classes must be whole numbers from 1 to 1e12, separated by commas or blanks.");
    }
    return sizes;
  }

  explorer.parts.push(part);
  Object.assign(explorer, { asCount, countOfRanks, counted, parseCurve, parseRanks, parseScores, parseSizes });
})();
