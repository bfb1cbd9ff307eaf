// Results of a search open the section that contains the words, and show an excerpt of it. The text of all sections is
// loaded by the page of results alone.
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
    const stems = [...new Set(words.map((word) => (window.Stemmer ? new window.Stemmer().stemWord(word) : word)))];
    const begins = stems.map((stem) => new RegExp(`(?<!\\p{L})${escaped(stem)}`, "iu"));
    const hits = (text) => begins.filter((word) => word.test(text)).length;

    // the section with the anchor of the link, or else the one with the most of the words, in its title above all
    function sectionOf(link, sections) {
      const named = sections.find(([anchors]) => anchors.split(" ").includes(decodeURIComponent(link.hash.slice(1))));
      if (named && link.hash) return named;
      const counts = sections.map(([, title, text]) => 2 * hits(title) + hits(text));
      return sections[counts.indexOf(Math.max(...counts))];
    }
    const root = new URL(document.documentElement.dataset.content_root || "./", window.location.href).pathname;

    const listed = new Set();
    function fill() {
      for (const item of results.querySelectorAll("li:not(.excerpted)")) {
        const link = item.querySelector("a");
        if (!link) continue;
        item.classList.add("excerpted");
        // a section that is found by its text and by a word of the index stands once
        const sections = window.classexExcerpts[link.pathname.slice(root.length).replace(/\.html$/, "")];
        const section = sections && sectionOf(link, sections);
        const [anchors, title, text] = section || ["", "", ""];
        if (section && section !== sections[0]) {
          if (!link.hash) link.hash = anchors.split(" ")[0];
          if (anchors.split(" ").includes(link.hash.slice(1)) && !link.textContent.includes(title)) {
            link.append(` > ${title}`);
          }
        }
        const place = link.pathname + link.textContent;
        if (listed.has(place)) {
          item.remove();
          continue;
        }
        listed.add(place);
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
