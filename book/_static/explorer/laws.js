// The laws of the favourability: average accuracy AGA_K and distribution function D(u) of each.
(function part() {
  "use strict";

  const explorer = window.classexExplorer;
  const { logNdtr, ndtr, ndtri } = explorer;

  // Nodes w = mu + nu z and weights of a sum over z ~ N(0, 1). The integrand Phi(w)^(K-1) varies on the scale of the
  // largest of K normals, about .1 at K = 10^12.
  function normalNodes(mu, nu) {
    const half = Math.ceil(9.5 * nu / (Math.min(nu, 0.25) / 8));
    const nodes = [];
    let total = 0;
    for (let i = -half; i <= half; i++) {
      const z = 9.5 * i / half;
      const weight = Math.exp(-0.5 * z * z);
      nodes.push({ z, weight, logU: logNdtr(mu + nu * z) });
      total += weight;
    }
    for (const node of nodes) node.weight /= total;
    return nodes;
  }

  // AGA_K = E Phi(W)^(K-1), W ~ N(mu, nu^2), with its derivatives in mu and log nu, for every K in sizes
  function accuracyAndGradient(mu, nu, sizes) {
    const nodes = normalNodes(mu, nu);
    return sizes.map((k) => {
      let value = 0;
      let byMu = 0;
      let byLogNu = 0;
      for (const { z, weight, logU } of nodes) {
        const success = weight * Math.exp((k - 1) * logU);
        value += success;
        byMu += success * z / nu;
        byLogNu += success * (z * z - 1);
      }
      return { value: Math.min(value, 1), gradient: [byMu, byLogNu] };
    });
  }

  // The probit of the favourability is normal with mean mu and standard deviation nu
  function probitNormal(mu, nu) {
    return {
      accuracy: (sizes) => accuracyAndGradient(mu, nu, sizes).map((point) => point.value),
      discriminability: (us) => us.map((u) => (u <= 0 ? 0 : u >= 1 ? 1 : ndtr((ndtri(u) - mu) / nu))),
    };
  }

  // The limit in high dimension: mean sqrt(2 I), standard deviation 1, I in nats
  function information(nats) {
    return probitNormal(Math.sqrt(2 * nats), 1);
  }

  // Phi(a + step) - Phi(a) for step > 0, to full relative accuracy even where both are almost equal
  function normalMass(a, step) {
    const middle = Math.abs(a + step / 2);
    if (step * (1 + middle) < 0.02) {
      const m2 = middle * middle;
      const h2 = step * step;
      const series = 1 + (m2 - 1) * h2 / 24 + (m2 * m2 - 6 * m2 + 3) * h2 * h2 / 1920;
      return step * Math.exp(-m2 / 2) / Math.sqrt(2 * Math.PI) * series;
    }
    return Math.min(ndtr(-middle + step / 2) - ndtr(-middle - step / 2), 1 - 2 ** -53);
  }

  // Trapezoid rule over (Y, log |tau e|) for U* = 1 - |Phi(Y + tau e) - Phi(Y)|. With 10^9 classes steps of order
  // 10^-9 decide, so the grid of the logarithm reaches down to 10^-18.
  function toyNodes(tau) {
    const spacing = 0.08;
    const logStep = 0.15;
    const logU = [];
    const weights = [];
    for (let x = Math.log(1e-18); x < Math.log(9.5 * tau) + logStep; x += logStep) {
      const step = Math.exp(x);
      const byStep = 2 * Math.exp(-0.5 * (step / tau) ** 2 + x) / (Math.sqrt(2 * Math.PI) * tau) * logStep;
      for (let y = -9; y <= 9; y += spacing) {
        const weight = byStep * Math.exp(-0.5 * y * y) / Math.sqrt(2 * Math.PI) * spacing;
        if (weight < 1e-30) continue;
        logU.push(Math.log1p(-normalMass(y, step)));
        weights.push(weight);
      }
    }
    return { logU: Float64Array.from(logU), weights: Float64Array.from(weights) };
  }

  function toyAccuracy(nodes, k) {
    let value = 0;
    for (let i = 0; i < nodes.logU.length; i++) {
      const power = (k - 1) * nodes.logU[i];
      if (power > -745) value += nodes.weights[i] * Math.exp(power);
    }
    return Math.min(value, 1);
  }

  // D(u) = 2 int_0^u Phi((Phi^-1(v) - Phi^-1(v + 1 - u)) / tau) dv: both ends may be singular, so tanh-sinh in v / u
  function toyDiscriminability(tau, u) {
    if (u <= 0 || u >= 1) return u <= 0 ? 0 : 1;
    let sum = 0;
    for (let i = -80; i <= 80; i++) {
      const t = 0.05 * i;
      const share = 1 / (1 + Math.exp(-Math.PI * Math.sinh(t)));
      const rest = 1 / (1 + Math.exp(Math.PI * Math.sinh(t)));
      const z = (ndtri(u * share) + ndtri(u * rest)) / tau;
      sum += ndtr(z) * 0.05 * Math.PI * Math.cosh(t) * share * rest;
    }
    return Math.min(2 * u * sum, 1);
  }

  // The bivariate normal toy problem with correlation rho and its best rule
  function toy(rho) {
    const tau = 2 * Math.sqrt((1 - rho) * (1 + rho)) / rho;
    const nodes = toyNodes(tau);
    return {
      accuracy: (sizes) => sizes.map((k) => toyAccuracy(nodes, k)),
      discriminability: (us) => us.map((u) => toyDiscriminability(tau, u)),
    };
  }

  explorer.parts.push(part);
  Object.assign(explorer, { accuracyAndGradient, information, normalNodes, probitNormal, toy });
})();
