// A line chart in SVG, drawn for the width it is given; colours and line styles are in explorer.css.
(function () {
  "use strict";

  const NAMESPACE = "http://www.w3.org/2000/svg";
  const MARGIN = { left: 58, right: 14, top: 12, bottom: 46 };
  const SUPERSCRIPT = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];

  function element(name, attributes, text) {
    const node = document.createElementNS(NAMESPACE, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }

  function powerOfTen(exponent) {
    const digits = String(Math.abs(exponent)).split("").map((digit) => SUPERSCRIPT[digit]).join("");
    return `10${exponent < 0 ? "⁻" : ""}${digits}`;
  }

  // Six significant digits, or fewer; small numbers with a power of ten
  function format(value, digits = 6) {
    if (value === 0) return "0";
    if (Math.abs(value) >= 1e-4) return value.toPrecision(digits);
    const [leading, exponent] = value.toExponential(digits - 1).split("e");
    return `${leading}·${powerOfTen(Number(exponent))}`;
  }

  // An axis maps values to [0, 1] and back, and lists its ticks
  function logAxis(low, high) {
    const [from, to] = [Math.log10(low), Math.log10(high)];
    const every = Math.max(1, Math.ceil((to - from) / 9));
    const ticks = [];
    for (let e = Math.ceil(from - 1e-9); e <= to + 1e-9; e += every) ticks.push({ value: 10 ** e, text: powerOfTen(e) });
    return {
      place: (x) => (Math.log10(Math.max(x, 1e-300)) - from) / (to - from), value: (share) => 10 ** (from + share * (to - from)),
      ticks,
    };
  }

  // Ticks at the given values, written with so many digits behind the point
  function linearAxis(low, high, values, digits = 1) {
    const ticks = values.map((value) => ({ value, text: value.toFixed(digits).replace("-", "−") }));
    return { place: (x) => (x - low) / (high - low), value: (share) => low + share * (high - low), ticks };
  }

  function unitAxis() {
    return linearAxis(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]);
  }

  // u close to 1: equal steps for every tenfold of 1 - u
  function nearOneAxis(digits) {
    const ticks = [{ value: 0, text: "0" }, { value: 0.9, text: "0.9" }, { value: 0.99, text: "0.99" }];
    for (let e = 3; e <= digits; e += 2) ticks.push({ value: 1 - 10 ** -e, text: `1−${powerOfTen(-e)}` });
    return { place: (u) => -Math.log10(Math.max(1 - u, 1e-300)) / digits, ticks };
  }

  function drawAxes(svg, x, y, labels, box) {
    const bottom = box.top + box.height;
    let free = -Infinity;
    for (const tick of x.ticks) {
      const at = box.left + x.place(tick.value) * box.width;
      svg.append(element("line", { class: "grid", x1: at, x2: at, y1: box.top, y2: bottom }));
      const width = 7 * tick.text.length;
      if (at - width / 2 < free) continue;
      free = at + width / 2 + 4;
      svg.append(element("text", { x: at, y: bottom + 18, "text-anchor": "middle" }, tick.text));
    }
    for (const tick of y.ticks) {
      const at = bottom - y.place(tick.value) * box.height;
      svg.append(element("line", { class: "grid", x1: box.left, x2: box.left + box.width, y1: at, y2: at }));
      svg.append(element("text", { x: box.left - 8, y: at + 4, "text-anchor": "end" }, tick.text));
    }
    svg.append(element("path", { class: "axis", d: `M${box.left},${box.top}V${bottom}H${box.left + box.width}` }));
    svg.append(element("text", { x: box.left + box.width / 2, y: bottom + 38, "text-anchor": "middle" }, labels.x));
    const turn = `rotate(-90 14 ${box.top + box.height / 2})`;
    svg.append(element("text", { x: 14, y: box.top + box.height / 2, "text-anchor": "middle", transform: turn }, labels.y));
  }

  function path(points) {
    return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(2)},${y.toFixed(2)}`).join("");
  }

  // options: x and y axes, labels {x, y}, description, series [{kind: "line" | "band" | "dots", name, points}],
  // points [x, y], or [x, low, high] for a band
  function drawChart(holder, { x, y, labels, description, series }) {
    const width = Math.max(holder.clientWidth, 240);
    const height = Math.round(Math.min(Math.max(width * 0.72, 230), 340));
    const box = {
      left: MARGIN.left, top: MARGIN.top, width: width - MARGIN.left - MARGIN.right,
      height: height - MARGIN.top - MARGIN.bottom,
    };
    const svg = element("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": description });
    drawAxes(svg, x, y, labels, box);
    const clip = (share) => Math.min(Math.max(share, 0), 1);
    const across = (value) => box.left + clip(x.place(value)) * box.width;
    const up = (value) => box.top + (1 - clip(y.place(value))) * box.height;
    for (const { kind, name, points } of series) {
      if (kind === "line") {
        svg.append(element("path", { class: `line ${name}`, d: path(points.map(([a, b]) => [across(a), up(b)])) }));
      } else if (kind === "band") {
        const edge = [...points.map(([a, , high]) => [across(a), up(high)]),
          ...points.slice().reverse().map(([a, low]) => [across(a), up(low)])];
        svg.append(element("path", { class: `band ${name}`, d: `${path(edge)}Z` }));
      } else {
        for (const [a, b] of points) svg.append(element("circle", { class: `dot ${name}`, cx: across(a), cy: up(b), r: 3.5 }));
      }
    }
    holder.replaceChildren(svg);
  }

  Object.assign(window.classexExplorer, {
    MARGIN, drawAxes, drawChart, element, format, linearAxis, logAxis, nearOneAxis, path, powerOfTen, unitAxis,
  });
})();
