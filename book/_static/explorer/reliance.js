// What a prediction rests on: the sentences of classex.forecast.Reliance.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { panels } = explorer;
  const FIXED = 0.1; // apart by so much the bounds are taken to fix an accuracy

  const confined = (law, sizes) => law.accuracy(sizes).map((value, i) => (sizes[i] <= 1 ? 1 : Math.min(Math.max(value, 0), 1)));

  // Accuracy 1 - (K - 1) int D(u) u^(K-2) du from the values of D
  function accuracyOf(at, values, k) {
    let whole = 0;
    let sum = 0;
    let nearest = 0;
    at.forEach(({ u, v, width }, i) => {
      const weight = (k - 1) * Math.exp((k - 2) * (u < 0.5 ? Math.log(u) : Math.log1p(-v))) * width;
      whole += weight;
      sum += weight * (1 - values[i]);
      if (v < at[nearest].v) nearest = i;
    });
    return sum + (1 - whole) * (1 - values[nearest]); // what lies beyond the panels joins their last node
  }

  // Three digits after the point, halves to the even digit, as Python writes them
  function threeDigits(value) {
    const exact = value.toFixed(30);
    return /^\d\.\d\d[02468]50*$/.test(exact) ? exact.slice(0, 5) : value.toFixed(3);
  }

  function reliance(law, ranks, k) {
    const k1 = ranks.nClasses;
    const many = (count) => count.toLocaleString("en-GB");
    if (k <= k1) return `Up to ${many(k1)} classes the accuracy was observed: no assumption is needed.`;
    const at = panels();
    const values = law.discriminability(at.map(({ u }) => u));
    const [edge] = law.discriminability([1 - 1 / k1]);
    const seen = accuracyOf(at, values.map((value) => 1 - Math.max(edge - value, 0)), k);
    const [whole] = confined(law, [k]);
    const unseen = Math.min(Math.max(1 - seen / Math.max(whole, 1e-300), 0), 1);
    const level = 0.95;
    const { low, high, least, ratio, lowest } = explorer.momentLimits(ranks, level);
    let reach = k1 + Math.floor(Math.log((high - FIXED) / least) / Math.log(ratio));
    if (high <= FIXED) reach = Infinity;
    else if (high - low > FIXED || high - least > FIXED) reach = 0;
    else if (ratio >= 1) reach = Infinity;
    const share = unseen < 0.995 ? `${explorer.roundHalfEven(100 * unseen)} %` : "more than 99 %";
    let fixed = "";
    if (reach >= k) fixed = `, no more than ${FIXED} apart`;
    else if (reach >= k1) fixed = `; to within ${FIXED} it is known only up to ${many(reach)} classes`;
    return `From the observed curve alone, up to ${many(k1)} classes, the accuracy with ${many(k)} lies between `
      + `${threeDigits(Math.min(lowest(k), whole))} and ${threeDigits(Math.max(high, whole))} with ${100 * level} % confidence`
      + `${fixed}. The rest is assumed: ${share} of the prediction comes from test points that fewer than one in `
      + `${many(k1)} wrong labels beat.`;
  }

  explorer.parts.push(part);
  Object.assign(explorer, { reliance });
})();
