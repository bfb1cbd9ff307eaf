// Displayed formulas that are too wide break before a relation, and then before a sum or product. Boxes that still scroll
// sideways get an edge, a place in the tab order and a name; all others stay plain.
(function () {
  "use strict";

  const BOXES = "mjx-container, div.highlight pre, .cell_output pre, .cell_output .output.text_html, "
    + ".pst-scrollable-table-container, .classex-table, .classex-map";
  const NAMES = [["mjx-container", "formula"], ["pre", "code"], [".classex-map", "map of the chapters"], ["*", "table"]];

  // MathJax sets glyphs by style, not as text: a class such as mjx-c3D names the sign
  const signsOf = (node) => [...node.querySelectorAll("mjx-c")].map((glyph) =>
    String.fromCodePoint(parseInt((glyph.className.match(/mjx-c([0-9A-F]+)/) || [0, "20"])[1], 16)));
  const balance = (signs) => signs.reduce((sum, sign) => sum + /[([{⌈⌊⟨]/u.test(sign) - /[)\]}⌉⌋⟩]/u.test(sign), 0);
  const RELATION = /^[=≠≈≤≥<>→⟶∝∈∣|]$/u;
  const OPERATION = /^[+−±·×]$/u;
  // where a line may end, the best places first: whether a part begins a line, given the part before it and its depth
  const PLACES = [
    (sign, before) => before.matches("mjx-mspace, :has(> mjx-mspace:only-child)") && before.offsetWidth > 12,
    (sign, before, depth) => depth === 0 && RELATION.test(sign),
    (sign, before, depth) => depth === 0 && OPERATION.test(sign),
    (sign) => RELATION.test(sign) || OPERATION.test(sign),
  ];

  function breakLines(formula) {
    let row = formula.querySelector("mjx-math");
    while (row && row.children.length === 1 && row.firstElementChild.matches("mjx-mrow, mjx-mstyle, mjx-texatom")) {
      row = row.firstElementChild;
    }
    for (const ends of row ? PLACES : []) {
      if (formula.scrollWidth <= formula.clientWidth + 1) return;
      let depth = 0;
      [...row.children].filter((part) => !part.matches("wbr")).forEach((part, i, parts) => {
        const signs = signsOf(part);
        if (i && !part.previousElementSibling.matches("wbr") && ends(part.matches("mjx-mo, mjx-texatom") ? signs.join("") : "", parts[i - 1], depth)) {
          part.before(document.createElement("wbr"));
          formula.classList.add("classex-broken");
        }
        depth += balance(signs);
      });
    }
  }

  function mark(box) {
    box.classList.remove("classex-scrolls");
    const scrolls = box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 0
      || (box.matches("mjx-container:not([display])") && wide(box));
    box.classList.toggle("classex-scrolls", scrolls);
    if (scrolls) {
      box.tabIndex = 0;
      box.setAttribute("role", "group");
      box.setAttribute("aria-label", `${NAMES.find(([kind]) => box.matches(kind))[1]}, scrolls sideways`);
    } else if (box.getAttribute("role") === "group") {
      ["tabindex", "role", "aria-label"].forEach((name) => box.removeAttribute(name));
    }
  }

  // a formula in a line has no inner width of its own: compare it, with the mark behind it, to the paragraph around it
  function wide(formula) {
    const block = formula.closest("p, li, td, th, dd, dt, figcaption, summary, h1, h2, h3, h4");
    const held = formula.closest(".classex-held") || formula;
    return block !== null && held.getBoundingClientRect().width > block.getBoundingClientRect().width;
  }

  // on a phone a column of prose is not squeezed to a word a line, nor 500 → 1,000 broken: its table scrolls
  function widen(cells) {
    cells.forEach((cell) => { cell.style.minWidth = cell.style.whiteSpace = ""; });
    if (window.innerWidth >= 600) return;
    const steps = cells.filter((cell) => /^[\d,]+ → [\d,]+$/.test(cell.textContent.trim()));
    steps.forEach((cell) => { cell.style.whiteSpace = "nowrap"; });
    const narrow = cells.filter((cell) => cell.textContent.length > 40 && cell.clientWidth < 150);
    narrow.forEach((cell) => { cell.style.minWidth = "11rem"; });
  }

  // and long names of code break behind a dot or an underscore, or before a capital, not anywhere
  function divide(names) {
    if (window.innerWidth >= 600) return;
    for (const name of names) {
      if (name.textContent.length < 24) continue;
      const parts = name.textContent.split(/(?<=\w[._])(?=\w)|(?<=[a-z])(?=[A-Z])/);
      name.replaceChildren(...parts.flatMap((part, i) => (i ? [document.createElement("wbr"), part] : [part])));
    }
  }

  function markAll() {
    document.querySelectorAll("article.bd-article").forEach((article) => {
      widen([...article.querySelectorAll("table.table td")]);
      article.querySelectorAll('mjx-container[display="true"]').forEach(breakLines);
      article.querySelectorAll(BOXES).forEach((box) => box.parentElement.closest("mjx-container") || mark(box));
    });
  }

  async function start() {
    if (window.MathJax && window.MathJax.startup) await window.MathJax.startup.promise;
    await document.fonts.ready;
    divide(document.querySelectorAll(".bd-article :is(p, li, p > a, li > a) > code > span.pre, article:has(#on-this-page) td code > span.pre"));
    markAll();
    const article = document.querySelector("article.bd-article");
    if (article) {
      let waiting = 0;
      const again = () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(markAll); };
      new ResizeObserver(again).observe(article);
      article.addEventListener("toggle", again, true);
    }
  }

  window.addEventListener("load", start);
}());
