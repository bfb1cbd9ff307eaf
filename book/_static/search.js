// Excerpts beside the results of a search, from the text of all pages, which only the page of results loads.
(function () {
  "use strict";

  const AROUND = 110; // characters on either side of the first word that was found
  const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  function excerpt(text, words) {
    const found = words.length ? new RegExp(`(?<!\\p{L})(${words.map(escaped).join("|")})`, "iu") : /$^/;
    const at = Math.max(text.search(found), 0);
    const from = at > AROUND ? text.indexOf(" ", at - AROUND) + 1 : 0;
    const end = Math.max(at + AROUND, 2 * AROUND);
    const to = text.length > end ? text.lastIndexOf(" ", end) : text.length;
    const line = document.createElement("p");
    line.className = "context";
    const pieces = text.slice(from, to).split(found);
    line.append(from > 0 ? "… " : "");
    pieces.forEach((piece, i) => {
      const part = document.createElement(i % 2 ? "mark" : "span");
      part.textContent = piece;
      line.append(part);
    });
    line.append(to < text.length ? " …" : "");
    return line;
  }

  function start() {
    const results = document.getElementById("search-results");
    const query = new URLSearchParams(window.location.search).get("q");
    if (!results || !query) return;
    const words = [query.trim(), ...query.trim().split(/[^\p{L}\p{N}]+/u)].map((word) => word.toLowerCase())
      .filter((word) => word.length > 2);
    const root = new URL(document.documentElement.dataset.content_root || "./", window.location.href).pathname;

    const listed = new Set();
    function fill() {
      for (const item of results.querySelectorAll("li:not(.excerpted)")) {
        const link = item.querySelector("a");
        if (!link) continue;
        item.classList.add("excerpted");
        // a page that is found by its text and by a word of the index stands once
        const page = link.pathname + link.textContent;
        if (listed.has(page)) {
          item.remove();
          continue;
        }
        listed.add(page);
        const text = window.classexExcerpts[link.pathname.slice(root.length).replace(/\.html$/, "")];
        if (text && !item.querySelector(".context")) item.append(excerpt(text, words));
      }
    }

    const script = document.createElement("script");
    script.src = "_static/excerpts.js";
    script.addEventListener("load", () => {
      new MutationObserver(fill).observe(results, { childList: true, subtree: true });
      fill();
    });
    document.body.append(script);
  }

  window.addEventListener("DOMContentLoaded", start);
}());
