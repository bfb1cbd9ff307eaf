// The default by hand: posterior, link and interval of an observed curve, with another prior slope and spread.
(function () {
  "use strict";

  const { bandOf, settings } = window.classexExplorer;

  // Prediction and interval for every number of classes
  function priorBand(curve, slope, spread, sizes) {
    return bandOf(curve, sizes, { ...settings.process, slope, slope_sd: spread });
  }

  Object.assign((window.classexMoving ??= {}), { priorBand });
}());
