// Text as it lies, cut into a header and rows: lines with any mark between entries, records of JSON, tables with a row for
// each test point and class, and packed files.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const CURVE = [["k", "n_classes", "classes", "n"], ["acc", "accuracy", "top1"]]; // names of the columns of a curve

  const short = (text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
  const listed = (names) => names.slice(0, 5).map(short).join(", ") + (names.length > 5 ? `, … (${names.length} in all)` : "");

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

  // What a table with this header holds; undefined if nothing says it
  function kindOf(header) {
    const names = header.map((name) => name.toLowerCase());
    const kind = ["rank", "wins"].find((name) => names.includes(name));
    if (kind !== undefined || labelAt(header) >= 0) return kind ?? "scores";
    return CURVE.every((alike) => alike.some((name) => names.includes(name))) ? "curve" : undefined;
  }

  // The header and the rows of a text whose header says what it holds; undefined if there is none
  function tableOf(text) {
    const records = tableOfRecords(text);
    if (records !== undefined) return records;
    const plain = text.replace(/^\uFEFF/, "");
    for (const mark of ["\t", ";", ","]) {
      let header;
      const rows = [];
      for (const row of cutRows(plain, mark)) {
        if (header !== undefined) rows.push(row);
        else if (kindOf(row.entries) !== undefined) header = row.entries;
        else if (!row.entries[0].startsWith("#")) break; // the header is the first line that is no comment
      }
      if (header !== undefined) return { header, rows };
    }
    const [first, ...rows] = rowsOf(text); // apart by blanks
    return kindOf(first.entries) === undefined ? undefined : { header: first.entries, rows };
  }

  // What a paste holds, where its header says it
  const kindOfPaste = (text) => {
    const header = tableOf(text)?.header;
    return header && kindOf(header);
  };

  // How a table is written, for the line of code that reads it again: records of JSON, a list of them, or the mark
  function writtenAs(text) {
    if (tableOfRecords(text) !== undefined) return /^\s*\[/.test(text) ? "list" : "records";
    const header = text.split(/\r\n|\r|\n/).find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "";
    return ["\t", ";", ","].find((mark) => header.includes(mark)) ?? (/\S\s+\S/.test(header) ? " " : ",");
  }

  // The same of a file, which must say what it holds
  function kindOfFile(text) {
    const table = tableOf(text);
    const header = table?.header ?? rowsOf(text)[0].entries;
    const kind = kindOf(header);
    if (kind !== undefined) return kind;
    const must = "it must name the columns: label and one for each class, or rank, or wins, or k and accuracy";
    if (header.every((name) => Number.isFinite(Number(name.replace(",", "."))))) {
      throw new Error(`The file has no header, since its first line holds numbers only: ${must}.`);
    }
    throw new Error(`The header is ${listed(header)}, but ${must}.`);
  }

  // Records of JSON, one a line or in a list, as a header and rows; undefined for any other text
  function tableOfRecords(text) {
    const plain = text.replace(/^\uFEFF/, "").trimStart();
    if (!/^(\[\s*)?\{/.test(plain)) return undefined;
    const records = plain.startsWith("[") ? listOfRecords(plain)
      : text.split(/\r\n|\r|\n/).map((line, i) => ({ number: i + 1, record: line.trim() === "" ? null : parsed(line, i + 1) }))
        .filter(({ record }) => record !== null);
    const header = Object.keys(records[0].record);
    const rows = records.map(({ number, record }) => {
      if (Object.keys(record).length !== header.length || !header.every((name) => Object.hasOwn(record, name))) {
        throw new Error(`Line ${number}: a record must have the names of the first: ${header.slice(0, 5).map(short).join(", ")}.`);
      }
      return { number, entries: header.map((name) => (record[name] === null ? "" : String(record[name]))) };
    });
    return { header, rows };
  }

  function parsed(line, number) {
    let record;
    try {
      record = JSON.parse(line);
    } catch {
      throw new Error(`Line ${number}: “${short(line)}” is no record of JSON.`);
    }
    if (typeof record !== "object" || record === null || Array.isArray(record)) {
      throw new Error(`Line ${number}: “${short(line)}” is no record of JSON.`);
    }
    return record;
  }

  function listOfRecords(text) {
    let list;
    try {
      list = JSON.parse(text);
    } catch {
      throw new Error("The list is not written in JSON.");
    }
    return list.map((record, i) => ({ number: i + 1, record: parsed(JSON.stringify(record), i + 1) }));
  }

  // A table with columns label, class, score and a test point, as one with a row for each test point
  function widened(table) {
    if (table === undefined || table.header === null) return table;
    const names = table.header.map((name) => name.toLowerCase());
    const [label, own, score] = ["label", "class", "score"].map((name) => names.indexOf(name));
    if (own < 0 || score < 0 || label < 0) return table;
    const points = names.flatMap((_, i) => ([label, own, score].includes(i) ? [] : [i]));
    if (points.length !== 1) throw new Error("Beside label, class and score one column must name the test point.");
    const classes = [...new Set(table.rows.map(({ entries }) => entries[own]))];
    const found = new Map();
    for (const { number, entries } of table.rows) {
      const name = entries[points[0]];
      const point = found.get(name) ?? { number, label: entries[label], scores: new Map() };
      if (point.scores.has(entries[own])) throw new Error(`Line ${number}: “${short(name)}” has class “${short(entries[own])}” twice.`);
      if (point.label !== entries[label]) throw new Error(`Line ${number}: “${short(name)}” has more than one label.`);
      point.scores.set(entries[own], entries[score]);
      found.set(name, point);
    }
    const rows = [...found].map(([name, point]) => {
      const missing = classes.find((one) => !point.scores.has(one));
      if (missing !== undefined) throw new Error(`“${short(name)}” has no score for class “${short(missing)}”.`);
      return { number: point.number, entries: [point.label, ...classes.map((one) => point.scores.get(one))] };
    });
    return { header: ["label", ...classes], rows };
  }

  // The text of a file, unpacked if it is packed by gzip
  async function contents(file) {
    const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    const packed = first === 0x1f && second === 0x8b;
    return new Response(packed ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream()).text();
  }

  explorer.parts.push(part);
  Object.assign(explorer, {
    CURVE, contents, kindOfFile, kindOfPaste, labelAt, listed, rowsOf, short, tableOf, widened, writtenAs,
  });
})();
