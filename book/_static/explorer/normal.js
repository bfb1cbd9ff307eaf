// Normal and Student distributions to full double precision, without a library.
// Plain scripts rather than ES modules: browsers do not load modules from a folder, and this book is read from one.
(function part() {
  "use strict";

  const ROOT_HALF = Math.SQRT1_2;
  const LOG_ROOT_2PI = 0.5 * Math.log(2 * Math.PI);
  const LEAST = 1e-12;

  // Rational approximations of the Cephes library (S. L. Moshier): erf on [0, 1), exp(x^2) erfc(x) on [1, 8) and beyond.
  const T = [9.60497373987051638749, 90.0260197203842689217, 2232.00534594684319226, 7003.32514112805075473,
    55592.3013010394962768];
  const U = [1, 33.5617141647503099647, 521.357949780152679795, 4594.32382970980127987, 22629.0000613890934246,
    49267.3942608635921086];
  const P = [2.46196981473530512524e-10, 0.564189564831068821977, 7.46321056442269912687, 48.6371970985681366614,
    196.520832956077098242, 526.445194995477358631, 934.528527171957607540, 1027.55188689515710272,
    557.535335369399327526];
  const Q = [1, 13.2281951154744992508, 86.7072140885989742329, 354.937778887819891062, 975.708501743205489753,
    1823.90916687909736289, 2246.33760818710981792, 1656.66309194161350182, 557.535340817727675546];
  const R = [0.564189583547755073984, 1.27536670759978104416, 5.01905042251180477414, 6.16021097993053585195,
    7.40974269950448939160, 2.97886665372100240670];
  const S = [1, 2.26052863220117276590, 9.39603524938001434673, 12.0489539808096656605, 17.0814450747565897222,
    9.60896809063285878198, 3.36907645100081516050];

  function polynomial(coefficients, x) {
    let value = 0;
    for (const coefficient of coefficients) value = value * x + coefficient;
    return value;
  }

  // exp(x^2) erfc(x) for x >= 0
  function scaledErfc(x) {
    if (x < 1) return Math.exp(x * x) * (1 - x * polynomial(T, x * x) / polynomial(U, x * x));
    return x < 8 ? polynomial(P, x) / polynomial(Q, x) : polynomial(R, x) / polynomial(S, x);
  }

  function erfc(x) {
    if (x < 0) return 2 - erfc(-x);
    if (x < 1) return 1 - x * polynomial(T, x * x) / polynomial(U, x * x);
    return x > 27 ? 0 : Math.exp(-x * x) * scaledErfc(x);
  }

  // Standard normal distribution function
  function ndtr(x) {
    return 0.5 * erfc(-x * ROOT_HALF);
  }

  // Its logarithm, accurate in both tails
  function logNdtr(x) {
    if (x < -1) return Math.log(0.5 * scaledErfc(-x * ROOT_HALF)) - 0.5 * x * x;
    return Math.log1p(-0.5 * erfc(x * ROOT_HALF));
  }

  // Hazard phi(w) / Phi(-w)
  function hazard(w) {
    if (w > 1) return Math.exp(-LOG_ROOT_2PI) / (0.5 * scaledErfc(w * ROOT_HALF));
    return Math.exp(-0.5 * w * w - LOG_ROOT_2PI) / ndtr(-w);
  }

  // Inverse of ndtr: Newton's method on its logarithm, which is concave
  function ndtri(p) {
    if (!(p > 0)) return p === 0 ? -Infinity : NaN;
    if (p > 0.5) return p < 1 ? -ndtri(1 - p) : p === 1 ? Infinity : NaN;
    const target = Math.log(p);
    let x = -Math.sqrt(Math.max(-2 * target - Math.log(4 * Math.PI * Math.max(-target, 0.1)), 0));
    for (let i = 0; i < 60; i++) {
      const step = (logNdtr(x) - target) / hazard(-x);
      x -= step;
      if (Math.abs(step) < 1e-15 * (1 + Math.abs(x))) break;
    }
    return x;
  }

  // Inverse of ndtr, finite at 0 and 1
  const probit = (p) => ndtri(Math.min(Math.max(p, LEAST), 1 - LEAST));

  // What Stirling's formula leaves out of the logarithm of the gamma function, for y >= 12
  function stirling(y) {
    const i = 1 / (y * y);
    return (1 / 12 - i * (1 / 360 - i * (1 / 1260 - i * (1 / 1680 - i * (1 / 1188 - i * 691 / 360360))))) / y;
  }

  // Logarithm of the gamma function for x > 0
  function logGamma(x) {
    let shift = 0;
    let y = x;
    for (; y < 12; y++) shift -= Math.log(y);
    return shift + (y - 0.5) * Math.log(y) - y + LOG_ROOT_2PI + stirling(y);
  }

  // log Gamma(a) - log Gamma(a + b), to all digits where these are large and nearly equal
  function logGammaRatio(a, b) {
    let value = 0;
    let x = a;
    for (; x < 16; x++) value += Math.log1p(b / x);
    return value - (x - 0.5) * Math.log1p(b / x) - b * Math.log(x + b) + b + stirling(x) - stirling(x + b);
  }

  // Logarithm of the binomial coefficient
  function logChoose(n, r) {
    if (r === 0 || r === n) return 0;
    return logGamma(n + 1) - logGamma(r + 1) - logGamma(n - r + 1);
  }

  // P(|T| <= t) for Student's t with a whole number of degrees of freedom: a finite sum in cos^2
  function studentCentre(t, df) {
    const cosine2 = df / (df + t * t);
    const sine = t / Math.sqrt(df + t * t);
    const odd = df % 2 === 1;
    let term = odd ? Math.sqrt(cosine2) : 1;
    let sum = df === 1 ? 0 : term;
    for (let j = odd ? 3 : 2; j < df; j += 2) {
      term *= cosine2 * (j - 1) / j;
      sum += term;
      if (term < 1e-17 * sum) break;
    }
    return odd ? (2 / Math.PI) * (Math.atan(t / Math.sqrt(df)) + sine * sum) : sine * sum;
  }

  // The t with P(|T| <= t) = level
  function studentQuantile(level, df) {
    let low = 0;
    let high = 1;
    while (studentCentre(high, df) < level) high *= 2;
    for (let i = 0; i < 200 && high - low > 1e-15 * high; i++) {
      const middle = 0.5 * (low + high);
      if (studentCentre(middle, df) < level) low = middle;
      else high = middle;
    }
    return 0.5 * (low + high);
  }

  // parts are the scripts that compute: a worker is made of their text, since a folder's scripts cannot be one
  window.classexExplorer = {
    parts: [part], LOG_ROOT_2PI, hazard, logChoose, logGammaRatio, logNdtr, ndtr, ndtri, probit, studentQuantile,
  };
})();
