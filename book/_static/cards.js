// A card with the text of a term, theorem or formula beside the link that names it: on hover, on focus, gone with Escape.
(function () {
  "use strict";

  const card = document.createElement("div");
  card.className = "classex-card";
  card.id = "classex-card";
  card.setAttribute("role", "tooltip");
  card.hidden = true;
  let owner = null;
  let waiting = 0;

  function place(link) {
    const at = link.getClientRects()[0];
    const room = document.documentElement.clientWidth;
    card.style.maxWidth = `${Math.min(560, room - 24)}px`;
    const left = Math.max(12, Math.min(at.left, room - card.offsetWidth - 12));
    const below = at.bottom + 8;
    const above = at.top - card.offsetHeight - 8;
    card.style.left = `${left + window.scrollX}px`;
    card.style.top = `${(below + card.offsetHeight > window.innerHeight && above > 0 ? above : below) + window.scrollY}px`;
  }

  async function show(link) {
    owner = link;
    card.innerHTML = window.classexCards[link.getAttribute("href")];
    card.hidden = false;
    place(link);
    link.setAttribute("aria-describedby", card.id);
    if (window.MathJax && window.MathJax.typesetPromise) {
      await window.MathJax.typesetPromise([card]);
      card.querySelectorAll("mjx-container").forEach((formula) => formula.removeAttribute("tabindex"));
      if (owner === link) place(link);
    }
  }

  function hide() {
    clearTimeout(waiting);
    if (owner) owner.removeAttribute("aria-describedby");
    owner = null;
    card.hidden = true;
  }

  function later(action, pause) {
    clearTimeout(waiting);
    waiting = setTimeout(action, pause);
  }

  function start() {
    const cards = window.classexCards;
    const article = document.querySelector("article.bd-article");
    if (!cards || !article) return;
    document.body.append(card);
    const linkOf = (event) => {
      const link = event.target.closest ? event.target.closest("a.reference.internal") : null;
      return link && Object.hasOwn(cards, link.getAttribute("href")) ? link : null;
    };
    article.addEventListener("mouseover", (event) => {
      const link = linkOf(event);
      if (link && link !== owner) later(() => show(link), 250);
    });
    article.addEventListener("mouseout", (event) => { if (linkOf(event)) later(hide, 200); });
    article.addEventListener("focusin", (event) => { const link = linkOf(event); if (link) show(link); });
    article.addEventListener("focusout", (event) => { if (linkOf(event)) hide(); });
    card.addEventListener("mouseenter", () => clearTimeout(waiting));
    card.addEventListener("mouseleave", () => later(hide, 200));
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  }

  window.addEventListener("load", start);
}());
