// Remembers, in this browser only, which questions of a quiz were answered right, and says so above the quiz.
(function () {
  "use strict";

  const KEY = "classex-quiz";

  function load() {
    try {
      return JSON.parse(localStorage.getItem(KEY)) || {};
    } catch {
      return {};
    }
  }

  function save(answers) {
    try {
      localStorage.setItem(KEY, JSON.stringify(answers));
    } catch {
      // a browser that keeps nothing: the quiz works all the same
    }
  }

  function follow(quiz) {
    const questions = [...quiz.querySelectorAll(":scope > ol > li")];
    const name = (question) => (question.querySelector("details") || {}).getAttribute?.("name") || "";
    const status = document.createElement("p");
    status.className = "classex-progress";
    status.setAttribute("role", "status");
    const again = document.createElement("button");
    again.type = "button";
    again.textContent = "Start again";
    quiz.prepend(status);

    function tell() {
      const answers = load();
      const tried = questions.filter((question) => answers[name(question)]);
      const first = tried.filter((question) => answers[name(question)] === "first");
      const right = tried.filter((question) => answers[name(question)] !== "wrong");
      questions.forEach((question) => question.classList.toggle("done", right.includes(question)));
      status.textContent = tried.length === 0
        ? `${questions.length} questions. What you have answered is remembered in this browser, and nowhere else. `
        : `${right.length} of ${questions.length} questions answered right, ${first.length} of them at the first try. `;
      if (tried.length) status.append(again);
    }

    quiz.addEventListener("toggle", (event) => {
      const option = event.target;
      if (!option.open || !option.matches("details")) return;
      const answers = load();
      const key = option.getAttribute("name");
      if (answers[key] === "first" || answers[key] === "later") return;
      if (option.classList.contains("right")) answers[key] = answers[key] ? "later" : "first";
      else answers[key] = "wrong";
      save(answers);
      tell();
    }, true);
    again.addEventListener("click", () => {
      const answers = load();
      questions.forEach((question) => delete answers[name(question)]);
      save(answers);
      quiz.querySelectorAll("details[open]").forEach((option) => { option.open = false; });
      tell();
    });
    tell();
  }

  window.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".classex-quiz").forEach(follow));
}());
