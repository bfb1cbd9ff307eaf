// Accuracy with k classes of groups of test points: the mean of u^(k-1) over the groups.
(function () {
  "use strict";

  // shares sum to one
  function groupAccuracy(favourabilities, shares, sizes) {
    return sizes.map((k) => favourabilities.reduce((sum, u, i) => sum + shares[i] * u ** (k - 1), 0));
  }

  Object.assign((window.classexMoving ??= {}), { groupAccuracy });
}());
