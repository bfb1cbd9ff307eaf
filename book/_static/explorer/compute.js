// What takes time, away from the page: a worker made of the text of the scripts that compute, since a browser starts
// none from the files of a folder. Where there are no workers the page computes itself.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  let fit = null; // of the last results that could be read, where it was computed
  let seen = null; // these results

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
  function answer({ task, text, kind, nClasses, law, sizes, wanted }) {
    if (task === "predict") {
      return { points: explorer.predict(fit, sizes), rests: wanted ? explorer.reliance(fit, seen, sizes[0]) : undefined };
    }
    const ranks = kind === "scores" ? explorer.parseScores(text) : explorer.parseRanks(text, kind, nClasses);
    [fit, seen] = [LAWS[law](ranks), ranks];
    const at = observedSizes(ranks.nClasses);
    const observed = explorer.observedAccuracy(ranks, at);
    const last = wanted ?? Math.min(100 * ranks.nClasses, 1e9);
    const { mu, nu, logLikelihood, covariance, nodes, weight } = fit;
    return {
      law, kind, mu, nu, logLikelihood, covariance, nodes, weight, nClasses: ranks.nClasses, nPoints: ranks.wins.length,
      note: ranks.note, warning: ranks.warning,
      observed: at.map((k, i) => [k, observed[i]]),
      curve: explorer.predict(fit, sizes),
      beyond: { classes: last, ...explorer.predict(fit, [last])[0] },
      rests: explorer.reliance(fit, ranks, last),
    };
  }

  // The answer to a question about a file, which is read here; `after` is what was fitted before, in another worker
  async function answered({ file, after, ...question }) {
    if (fit === null && after !== undefined) await answered(after);
    if (file === undefined) return answer(question);
    const text = await explorer.contents(file);
    return answer({ ...question, text, kind: explorer.kindOf(text) });
  }

  // Ask in the background; a new question of the same task replaces one that is not answered yet
  function asker() {
    let worker = null;
    let number = 0;
    let waiting = new Map();
    let good; // the last question about results that was answered

    function start() {
      const source = ["self.window = self;", ...explorer.parts.map((one) => `(${one})();`),
        "self.onmessage = async ({ data }) => { try { postMessage({ id: data.id, found: await classexExplorer.answered(data) }); }",
        "catch (error) { postMessage({ id: data.id, message: error.message }); } };"].join("\n");
      worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
      worker.onmessage = ({ data: { id, found, message } }) => {
        const done = waiting.get(id);
        waiting.delete(id);
        if (done !== undefined) done(found, message);
      };
    }

    return function ask(question, tell) {
      const done = (found, message) => {
        if (question.task === "fit" && found !== undefined) good = question;
        tell(found, message);
      };
      if (question.task === "fit" && waiting.size > 0 && worker !== null) {
        worker.terminate(); // what it was busy with nobody wants any more
        worker = null;
        waiting = new Map();
      }
      number += 1;
      try {
        if (worker === null) start();
        waiting.set(number, done);
        worker.postMessage({ ...question, after: question.task === "fit" ? undefined : good, id: number });
      } catch {
        waiting.delete(number);
        answered(question).then((found) => done(found, undefined), (error) => done(undefined, error.message));
      }
    };
  }

  explorer.parts.push(part);
  Object.assign(explorer, { answer, answered, asker });
})();
