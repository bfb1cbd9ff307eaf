// Taking the results along: the curve as a table, the charts as pictures, and the state of the page as an address.
(function () {
  "use strict";

  const STYLE = "text{font:13px 'Source Sans 3',sans-serif;fill:#222}.grid{stroke:#ccc;stroke-width:1}.axis{stroke:#555;fill:none}"
    + ".line{fill:none;stroke-width:2.5}.curve{stroke:#d55e00;stroke-dasharray:7 4}.chance{stroke:#5a5a5a;stroke-dasharray:2 4}"
    + ".band{fill:#d55e00;fill-opacity:.18;stroke:none}.dot{fill:none;stroke:#0072b2;stroke-width:1.8}";
  const MOST_TEXT = 6000; // characters of pasted data that an address carries

  function save(name, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // A row for each number of classes: accuracy, and the ends of the interval where there is one
  function asCsv(sizes, points) {
    const bands = points.some(({ low }) => low !== undefined);
    const rows = points.map(({ value, low, high }, i) => (bands ? [sizes[i], value, low, high] : [sizes[i], value]).join(","));
    return [bands ? "classes,accuracy,low,high" : "classes,accuracy", ...rows, ""].join("\n");
  }

  function asSvg(svg) {
    const copy = svg.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
    style.textContent = STYLE;
    copy.prepend(style);
    return new XMLSerializer().serializeToString(copy);
  }

  // The state as the part of an address behind the hash; long data stay out
  function asHash(state) {
    const kept = Object.entries(state).filter(([key, value]) => key !== "data" || value.length <= MOST_TEXT);
    return `#${new URLSearchParams(kept)}`;
  }

  const fromHash = (hash) => Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));

  Object.assign(window.classexExplorer, { MOST_TEXT, asCsv, asHash, asSvg, fromHash, save });
})();
