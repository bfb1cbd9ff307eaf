// Files as they lie: records of JSON, tables with a row for each test point and class, and packed text.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const short = (text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

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

  // What the first line of a file says that it holds
  function kindOf(text) {
    const first = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/).find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "";
    const names = explorer.tableOfRecords(text)?.header ?? first.split(/[\t;,]/).map((name) => name.trim().replace(/^"(.*)"$/, "$1"));
    const known = names.map((name) => name.toLowerCase());
    const kind = ["label", "rank", "wins"].find((name) => known.includes(name));
    if (kind === undefined) {
      throw new Error(`The file must have a column label, rank or wins, but has: ${names.slice(0, 5).map(short).join(", ")}.`);
    }
    return known.includes("rank") ? "rank" : known.includes("wins") ? "wins" : "scores";
  }

  // The text of a file, unpacked if it is packed by gzip
  async function contents(file) {
    const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
    const packed = first === 0x1f && second === 0x8b;
    return new Response(packed ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream()).text();
  }

  explorer.parts.push(part);
  Object.assign(explorer, { contents, kindOf, tableOfRecords, widened });
})();
