// One button that unfolds, or folds, all code of a page.
(function () {
  "use strict";

  const all = [...document.querySelectorAll(".bd-article details.hide")];
  const folds = all.filter((fold) => fold.querySelector(".cell_input"));
  const tools = document.querySelector(".article-header-buttons");
  if (!folds.length || !tools) return;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "classex-code btn btn-sm";
  const allOpen = () => folds.every((fold) => fold.open);
  const word = () => { button.textContent = `${allOpen() ? "Hide" : "Show"} all code`; };
  button.addEventListener("click", () => {
    const open = !allOpen();
    folds.forEach((fold) => { fold.open = open; });
    word();
  });
  folds.forEach((fold) => fold.addEventListener("toggle", word));
  word();
  tools.prepend(button);
}());
