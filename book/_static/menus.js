// The menu of downloads, with mouse and keyboard. It stands in for the theme's Bootstrap, of which the pages use nothing
// else: tips are the browser's own (weight.py puts this script in its place).
(function () {
  "use strict";

  window.bootstrap = { Tooltip: class { show() {} hide() {} } };
  document.querySelectorAll("[data-bs-title]").forEach((button) => { button.title = button.dataset.bsTitle; });

  document.querySelectorAll('[data-bs-toggle="dropdown"]').forEach((button) => {
    const menu = button.parentElement.querySelector(".dropdown-menu");
    const items = () => [...menu.querySelectorAll("a, button")];
    menu.setAttribute("data-bs-popper", "static");

    function show(open) {
      menu.classList.toggle("show", open);
      button.classList.toggle("show", open);
      button.setAttribute("aria-expanded", String(open));
    }

    function step(by) {
      const all = items();
      const place = all.indexOf(document.activeElement);
      show(true);
      all[(place + by + all.length + (place < 0 && by < 0 ? 1 : 0)) % all.length].focus();
    }

    button.addEventListener("click", () => show(!menu.classList.contains("show")));
    button.parentElement.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && menu.classList.contains("show")) {
        show(false);
        button.focus();
      } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        step(event.key === "ArrowDown" ? 1 : -1);
      }
    });
    document.addEventListener("click", (event) => {
      if (!button.contains(event.target)) show(false);
    });
  });
}());
