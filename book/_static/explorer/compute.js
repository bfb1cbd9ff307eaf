// What takes time, away from the page: a worker made of the text of the scripts that compute, since a browser starts
// none from the files of a folder. Where there are no workers the page computes itself.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  let fit = null; // of the last results, where it was computed

  // Where the observed curve is shown: up to 13 numbers of classes, evenly spaced in the logarithm
  function observedSizes(nClasses) {
    return [...new Set(Array.from({ length: 13 }, (_, i) => Math.round(2 * (nClasses / 2) ** (i / 12))))];
  }

  // The laws offered: the default of the library, and the probit-normal law with both parameters or one
  const LAWS = {
    process: explorer.fitProcess,
    two: (ranks) => explorer.fitProbitNormal(ranks),
    one: (ranks) => explorer.fitProbitNormal(ranks, 1),
  };

  // Answer a question: fit pasted results and follow their curve, or predict at other numbers of classes
  function answer({ task, text, kind, nClasses, law, sizes }) {
    if (task === "predict") return { points: explorer.predict(fit, sizes) };
    fit = null;
    const ranks = kind === "scores" ? explorer.parseScores(text) : explorer.parseRanks(text, kind, nClasses);
    fit = LAWS[law](ranks);
    const at = observedSizes(ranks.nClasses);
    const observed = explorer.observedAccuracy(ranks, at);
    const last = Math.min(100 * ranks.nClasses, 1e9);
    const { mu, nu, logLikelihood, covariance, nodes, weight } = fit;
    return {
      law, mu, nu, logLikelihood, covariance, nodes, weight, nClasses: ranks.nClasses, nPoints: ranks.wins.length,
      note: ranks.note, warning: ranks.warning,
      observed: at.map((k, i) => [k, observed[i]]),
      curve: explorer.predict(fit, sizes),
      beyond: { classes: last, ...explorer.predict(fit, [last])[0] },
      rests: explorer.reliance(fit, ranks, last),
    };
  }

  // Ask in the background; a new question of the same task replaces one that is not answered yet
  function asker() {
    let worker = null;
    let number = 0;
    let waiting = new Map();

    function start() {
      const source = ["self.window = self;", ...explorer.parts.map((one) => `(${one})();`),
        "self.onmessage = ({ data }) => { try { postMessage({ id: data.id, found: classexExplorer.answer(data) }); }",
        "catch (error) { postMessage({ id: data.id, message: error.message }); } };"].join("\n");
      worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
      worker.onmessage = ({ data: { id, found, message } }) => {
        const done = waiting.get(id);
        waiting.delete(id);
        if (done !== undefined) done(found, message);
      };
    }

    return function ask(question, done) {
      if (question.task === "fit" && waiting.size > 0 && worker !== null) {
        worker.terminate(); // what it was busy with nobody wants any more
        worker = null;
        waiting = new Map();
      }
      number += 1;
      try {
        if (worker === null) start();
        waiting.set(number, done);
        worker.postMessage({ ...question, id: number });
      } catch {
        waiting.delete(number);
        try {
          done(answer(question), undefined);
        } catch (error) {
          done(undefined, error.message);
        }
      }
    };
  }

  explorer.parts.push(part);
  Object.assign(explorer, { answer, asker });
})();
