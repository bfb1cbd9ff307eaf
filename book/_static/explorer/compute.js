// What takes time, away from the page: a worker made of the text of the scripts that compute, since a browser starts
// none from the files of a folder. Where there are no workers the page computes itself.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  let fit = null; // of the present results, where it was computed
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

  // What is known from the text alone; what must be said first, and is asked for
  function seenIn(text, kind, { nClasses, nPoints, drop, every }) {
    if (kind === "scores") return { results: explorer.parseScores(text, drop, every) };
    if (kind === "curve") {
      const results = explorer.parseCurve(text, nPoints);
      return nPoints === undefined ? { asks: "points", ledger: results.ledger } : { results };
    }
    if (nClasses === undefined) return { asks: "classes", ledger: explorer.countOfRanks(text, kind) };
    return { results: explorer.parseRanks(text, kind, nClasses) };
  }

  // Where the curve was observed, and what it predicts far beyond
  function fitted(results, law, sizes, wanted) {
    const curve = results.nPoints !== undefined;
    const nClasses = curve ? results.sizes.at(-1) : results.nClasses;
    if (curve && law !== "process") throw new Error("A curve without ranks is continued by the library's default only.");
    [fit, seen] = [curve ? explorer.fitCurve(results) : LAWS[law](results), results];
    const at = curve ? results.sizes : observedSizes(nClasses);
    const observed = curve ? results.value : explorer.observedAccuracy(results, at);
    const { mu, nu, logLikelihood, covariance, nodes, weight } = fit;
    return {
      law, mu, nu, logLikelihood, covariance, nodes, weight, nClasses,
      nPoints: curve ? results.nPoints : results.wins.length, observed: at.map((k, i) => [k, observed[i]]),
      curve: explorer.predict(fit, sizes), beyond: beyond(wanted),
    };
  }

  // The prediction with K classes, by default a hundred times as many, and what it rests on, which only ranks show
  function beyond(wanted) {
    const classes = wanted ?? Math.min(100 * (seen.nClasses ?? seen.sizes.at(-1)), 1e9);
    const rests = seen.wins === undefined ? undefined : explorer.reliance(fit, seen, classes);
    return { classes, ...explorer.predict(fit, [classes])[0], rests };
  }

  // Answer a question: fit results and follow their curve, or predict at other numbers of classes
  function answer({ task, text, kind, law, sizes, wanted, ...given }) {
    if (task === "beyond") return beyond(wanted);
    if (task === "predict") return { points: explorer.predict(fit, sizes) };
    [fit, seen] = [null, null]; // nothing of other results stays
    const { results, ...found } = seenIn(text, kind, given);
    if (results === undefined) return { kind, ...found };
    const { ledger, warning, columns, labels } = results;
    return { kind, ledger, warning, columns, tested: labels && new Set(labels).size, ...fitted(results, law, sizes, wanted) };
  }

  // The answer to a question about a file, which is read here; `after` is what was fitted before, in another worker
  async function answered({ file, after, ...question }) {
    if (question.task !== "fit") {
      if (fit === null && after !== undefined) await answered(after);
      return answer(question);
    }
    const text = file === undefined ? question.text : await explorer.contents(file);
    const kind = file === undefined ? explorer.kindOfPaste(text) ?? question.kind : explorer.kindOfFile(text);
    const written = explorer.tableOf(text) === undefined ? undefined : explorer.writtenAs(text);
    return { ...answer({ ...question, text, kind }), written };
  }

  // Ask in the background; a new question of the same task replaces one that is not answered yet
  function asker() {
    let worker = null;
    let number = 0;
    let waiting = new Map();
    let good; // the question about the present results, if it was answered

    function start() {
      const source = ["self.window = self;", ...explorer.parts.map((one) => `(${one})();`),
        "self.onmessage = async ({ data }) => { try { postMessage({ id: data.id, found: await classexExplorer.answered(data) }); }",
        "catch ({ message, column, every }) { postMessage({ id: data.id, problem: { message, column, every } }); } };"].join("\n");
      worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
      worker.onmessage = ({ data: { id, found, problem } }) => {
        const done = waiting.get(id);
        waiting.delete(id);
        if (done !== undefined) done(found, problem);
      };
    }

    return function ask(question, tell) {
      const done = (found, problem) => {
        if (question.task === "fit") good = found?.curve && question;
        tell(found, problem);
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
        worker.postMessage({ ...question, after: question.task === "fit" ? undefined : good || undefined, id: number });
      } catch {
        waiting.delete(number);
        answered(question).then((found) => done(found, undefined), (error) => done(undefined, error));
      }
    };
  }

  explorer.parts.push(part);
  Object.assign(explorer, { answer, answered, asker });
})();
