// In place of the theme's Bootstrap, of which the pages use one menu: tips are the browser's own titles.
(function () {
  "use strict";

  window.bootstrap = { Tooltip: class { show() {} hide() {} } };
  document.querySelectorAll("[data-bs-title]").forEach((button) => { button.title = button.dataset.bsTitle; });

  document.querySelectorAll('[data-bs-toggle="dropdown"]').forEach((button) => {
    const box = button.parentElement;
    function show(open) {
      button.classList.toggle("show", open);
      button.setAttribute("aria-expanded", String(open));
    }
    function leave(place) {
      if (place && !box.contains(place)) show(false);
    }

    button.addEventListener("click", () => show(!button.classList.contains("show")));
    box.addEventListener("focusout", (event) => leave(event.relatedTarget));
    document.addEventListener("click", (event) => leave(event.target));
    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        button.focus();
        show(false);
      }
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      show(true);
      const items = [...box.querySelectorAll(".dropdown-item")];
      items.at(Math.max(items.indexOf(document.activeElement) + step, -1) % items.length).focus();
    });
  });
}());
