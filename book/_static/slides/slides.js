// Slides: theme, formulas, reveal.js, and a window with the speaker's notes that works for files on a disk.
(function () {
  "use strict";
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  const printing = query.has("print-pdf") || query.get("view") === "print";
  // on paper and on a phone all slides stand one below the other, laid out by the style sheet alone
  const plain = printing ? (query.has("notes") ? "notes" : "slides") : matchMedia("(max-width: 600px)").matches && "phone";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = query.get("theme");

  function show() {
    root.dataset.theme = printing ? "light" : chosen || (dark.matches ? "dark" : "light");
  }
  show();
  dark.addEventListener("change", show);

  window.MathJax = {
    loader: { load: ["input/tex", "output/chtml", "a11y/assistive-mml"] },
    // slides that are not shown have no size to measure
    chtml: { matchFontHeight: false },
    options: { ignoreHtmlClass: "highlight" },
  };

  let notes = null;

  function escaped(text) {
    const box = document.createElement("p");
    box.textContent = text;
    return box.innerHTML;
  }

  function tell() {
    if (!notes || notes.closed) return;
    const slide = Reveal.getCurrentSlide();
    const all = Reveal.getSlides();
    const next = all[all.indexOf(slide) + 1];
    const heading = (section) => (section ? section.querySelector("h1, h2").innerHTML : "the end");
    const left = slide.querySelectorAll(".fragment:not(.visible)").length;
    const page = notes.document;
    page.getElementById("now").innerHTML = heading(slide);
    page.getElementById("said").innerHTML = slide.querySelector("aside.notes").innerHTML;
    page.getElementById("next").innerHTML = (left ? `${left} more on this slide, then: ` : "Next: ") + heading(next);
    page.getElementById("place").textContent = `${all.indexOf(slide) + 1} of ${all.length}`;
  }

  function openNotes() {
    notes = window.open("", "classex-notes", "width=760,height=640");
    if (!notes) return;
    const styles = [...document.querySelectorAll("style")].map((style) => style.outerHTML).join("");
    const fonts = document.querySelector("#MJX-CHTML-styles");
    const rules = fonts ? [...fonts.sheet.cssRules].map((rule) => rule.cssText).join("\n") : "";
    notes.document.open();
    notes.document.write(`<!DOCTYPE html><html lang="en"><head><title>Notes: ${escaped(document.title)}</title>${styles}
      <style>${rules}
      body { font: 1.25rem/1.5 sans-serif; margin: 1.5rem; color: #1d2630; background: #fff; }
      #now { font-size: 1.5rem; margin: 0 0 0.75rem; } #next, #clock, #place { color: #475463; }
      .caption { color: #475463; font-size: 1rem; } footer { display: flex; gap: 2rem; margin-top: 1.5rem; }
      </style></head><body><h1 id="now"></h1><main id="said"></main>
      <footer><span id="place"></span><span id="clock"></span><span id="next"></span></footer></body></html>`);
    notes.document.close();
    const begun = Date.now();
    const clock = setInterval(() => {
      if (notes.closed) return clearInterval(clock);
      const seconds = Math.floor((Date.now() - begun) / 1000);
      notes.document.getElementById("clock").textContent =
        `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      return undefined;
    }, 1000);
    notes.document.addEventListener("keydown", (event) => {
      if (["ArrowRight", "PageDown", " "].includes(event.key)) Reveal.next();
      if (["ArrowLeft", "PageUp"].includes(event.key)) Reveal.prev();
    });
    tell();
  }

  // A browser prints when the page has loaded: a frame whose document stays open puts that off until the formulas are set
  async function showPlain() {
    root.dataset.plain = plain;
    document.getElementById("reveal").disabled = true;
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    frame.contentDocument.open();
    await MathJax.startup.promise;
    await document.fonts.ready;
    frame.contentDocument.close();
    root.dataset.ready = "true";
  }

  async function start() {
    if (plain) return showPlain();
    await MathJax.startup.promise;
    await Reveal.initialize({
      width: 1280,
      height: 720,
      margin: 0,
      center: false,
      hash: true,
      slideNumber: "c/t",
      transition: "none",
    });
    Reveal.addKeyBinding({ keyCode: 83, key: "S", description: "Notes in a window of their own" }, openNotes);
    Reveal.addKeyBinding({ keyCode: 68, key: "D", description: "Light or dark" }, () => {
      chosen = root.dataset.theme === "dark" ? "light" : "dark";
      show();
    });
    ["slidechanged", "fragmentshown", "fragmenthidden"].forEach((name) => Reveal.on(name, tell));
    root.dataset.ready = "true";
    return undefined;
  }

  document.addEventListener("DOMContentLoaded", start);
}());
