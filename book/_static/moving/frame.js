// Figures that the reader moves, each over a static figure, which stays on paper, without script and after an error.
//
// On a page:   ```{moving} NAME          loads explorer/normal.js, explorer/chart.js, this file, moving/NAME_numbers.js
//              :over: fig-id             (pure functions, no document) and moving/NAME.js (the drawing), here only.
//              :uses: explorer/laws.js   Scripts before these two, if any. `over` is the id of the static figure or
//                                        of another element; what it shows, except the caption, is covered.
//              A question to answer by dragging, one paragraph.
//
//              Its answer, folded.       Without script and on paper there is neither question nor answer.
//              ```
// NAME_numbers.js:  Object.assign((window.classexMoving ??= {}), { area });    compared with the library by tests
// NAME.js:          classexMoving.figure("NAME", (stage) => {
//   stage.state = { k: 10 };             all that the reader can change; `stage.set({ k: 20 })` changes and draws it
//   stage.slider({ label, name: "k", from, to, step, text: (value) => "…" });   or values: [2, 3, 5] for from, to, step
//   const pane = stage.pane({ x, y, labels: { x, y }, describe: () => "…", draw: (pane) => …, ratio, share });  a chart
//   pane.handle({ label, along: "x" or "y", from, to, step, value: () => …, move: (v) => …, at: () => [x, y], text });
//   stage.shows(() => …);                draws what is neither, whenever something has changed
//   stage.button("Start again", () => stage.set({ k: 10 }));   stage.say = () => "one sentence, with the numbers";
//   stage.key.textContent = "Grey: …";   what marks mean, where the caption does not say it
//   stage.numbers = () => ({ … });       what is shown, for tests, which find the stage in classexMoving.mounted.NAME
// });
// x and y are axes of chart.js (linearAxis, logAxis, unitAxis), or functions that return one. In `draw`: pane.line,
// area, bar, dot, legend, text, in the units of the axes, with a class of moving.css: observed, extrapolated, truth,
// guessing, muted. stage.animate obeys reduced motion.
(function () {
  "use strict";

  const moving = (window.classexMoving ??= {});
  const { MARGIN, drawAxes, element, path } = window.classexExplorer;
  const EDGE = 2; // pixels beyond the axes, so that a line along one keeps its width
  const limit = (value, from, to) => Math.min(Math.max(value, from), to);

  function node(name, attributes = {}, text = "") {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  }

  // One chart: axes, what `draw` draws, and above it the handles, which keep the focus while the rest is drawn again
  class Pane {
    constructor(stage, options) {
      Object.assign(this, { stage, ratio: 0.72, tallest: 320, share: 1, kind: "", margin: MARGIN, handles: [] });
      Object.assign(this, options);
      this.axesOf = [options.x, options.y];
      this.holder = node("div", { class: `classex-pane ${this.kind}`, style: `flex-grow: ${this.share}` });
      this.svg = element("svg", { role: "group" });
      [this.axes, this.drawing, this.above] = [0, 0, 0].map(() => element("g", {}));
      this.axes.setAttribute("aria-hidden", "true");
      this.drawing.setAttribute("role", "img");
      const id = `classex-${stage.name}-inside-${stage.panes.length}`;
      const within = element("clipPath", { id });
      [this.inside, this.clip] = [element("rect", {}), `url(#${id})`];
      within.append(this.inside);
      this.svg.append(within, this.axes, this.drawing, this.above);
      this.holder.append(this.svg);
      this.observer = new ResizeObserver(() => this.fit());
      this.observer.observe(this.holder);
    }

    fit() {
      const width = Math.max(this.holder.clientWidth, 200);
      if (width === this.width) return;
      this.width = width;
      this.height = Math.round(limit(width * this.ratio, 120, this.tallest));
      const { left, right, top, bottom } = this.margin;
      this.box = { left, top, width: width - left - right, height: this.height - top - bottom };
      const size = { width, height: this.height, viewBox: `0 0 ${width} ${this.height}` };
      for (const [key, value] of Object.entries(size)) this.svg.setAttribute(key, value);
      const inside = { x: left - EDGE, y: top - EDGE, width: this.box.width + 2 * EDGE, height: this.box.height + 2 * EDGE };
      for (const [key, value] of Object.entries(inside)) this.inside.setAttribute(key, value);
      this.render();
    }

    render() {
      if (!this.box) return;
      const [x, y] = this.axesOf.map((axis) => (typeof axis === "function" ? axis() : axis));
      Object.assign(this, { x, y });
      this.axes.replaceChildren();
      if (this.labels) drawAxes(this.axes, this.x, this.y, this.labels, this.box);
      this.drawing.replaceChildren();
      this.drawing.setAttribute("aria-label", this.describe());
      this.draw(this);
      this.handles.forEach((handle) => handle.place());
    }

    across(x) { return this.box.left + this.x.place(x) * this.box.width; }

    up(y) { return this.box.top + (1 - this.y.place(y)) * this.box.height; }

    pixels(points) { return points.map(([x, y]) => [this.across(x), this.up(y)]); }

    add(name, attributes, text) {
      const made = element(name, attributes, text);
      this.drawing.append(made);
      return made;
    }

    // what leaves the axes is not drawn
    line(points, kind) {
      return this.add("path", { class: `line ${kind}`, d: path(this.pixels(points)), "clip-path": this.clip });
    }

    // between two lines, or between a line and zero
    area(points, kind, lower = points.map(([x]) => [x, 0])) {
      const edge = [...points, ...lower.slice().reverse()];
      return this.add("path", { class: `area ${kind}`, d: `${path(this.pixels(edge))}Z`, "clip-path": this.clip });
    }

    bar(from, to, height, kind, bottom = 0) {
      return this.area([[from, height], [to, height]], kind, [[from, bottom], [to, bottom]]);
    }

    dot(x, y, kind, r = 4) {
      return this.add("circle", { class: `dot ${kind}`, cx: this.across(x), cy: this.up(y), r });
    }

    // moved by pixels dx and dy; anchor: start, middle or end
    text(x, y, words, { kind = "", anchor = "middle", dx = 0, dy = 0 } = {}) {
      const place = { x: this.across(x) + dx, y: this.up(y) + dy, "text-anchor": anchor };
      return this.add("text", { class: kind, ...place }, words);
    }

    // Lines and what they are, [class, words] each, in a lower corner
    legend(entries, right = false) {
      const { left, top, width, height } = this.box;
      const [start, away] = right ? [left + width, -1] : [left, 1];
      entries.forEach(([kind, words], i) => {
        const y = top + height - 14 - 18 * (entries.length - 1 - i);
        this.add("path", { class: `line ${kind}`, d: `M${start + 8 * away},${y}h${30 * away}` });
        this.add("text", { x: start + 44 * away, y: y + 4, "text-anchor": right ? "end" : "start" }, words);
      });
    }

    handle(options) {
      const made = new Handle(this, options);
      this.handles.push(made);
      this.above.append(made.node);
      return made;
    }
  }

  // A finger that begins here does not scroll the page: browsers overlook touch-action inside a drawing
  const holdPage = (drawn) => drawn.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });

  // A point to drag along one axis: with mouse, finger or pen, or the keys of a slider
  class Handle {
    constructor(pane, options) {
      Object.assign(this, { pane, step: 0.01, kind: "", text: String, ...options });
      this.node = element("g", {
        class: `handle ${this.along} ${this.kind}`, role: "slider", tabindex: 0, "aria-label": this.label,
        "aria-orientation": this.along === "x" ? "horizontal" : "vertical",
      });
      this.node.append(element("circle", { class: "reach", r: 22 }), element("circle", { class: "grip", r: 8 }));
      this.node.addEventListener("pointerdown", (event) => this.nearest(event).grab(event));
      holdPage(this.node);
      this.node.addEventListener("keydown", (event) => this.key(event));
    }

    get axis() { return this.pane[this.along]; }

    limits() { return [this.from, this.to].map((end) => (typeof end === "function" ? end() : end)); }

    place() {
      const [x, y] = this.at();
      const [from, to] = this.limits();
      const now = this.value();
      this.node.setAttribute("transform", `translate(${this.pane.across(x).toFixed(2)} ${this.pane.up(y).toFixed(2)})`);
      const aria = { valuemin: from, valuemax: to, valuenow: now, valuetext: this.text(now) };
      for (const [key, value] of Object.entries(aria)) this.node.setAttribute(`aria-${key}`, value);
    }

    go(value) {
      const [from, to] = this.limits();
      const digits = Math.max(0, Math.ceil(-Math.log10(this.step)));
      this.move(Number(limit(Math.round(value / this.step) * this.step, from, to).toFixed(digits)));
      this.pane.stage.update();
    }

    // where the reaches of handles overlap, the nearest is meant
    nearest({ clientX, clientY }) {
      const distance = ({ node: { lastChild } }) => {
        const { x, y, width, height } = lastChild.getBoundingClientRect();
        return Math.hypot(x + width / 2 - clientX, y + height / 2 - clientY);
      };
      return this.pane.handles.reduce((best, other) => (distance(other) < distance(best) ? other : best), this);
    }

    grab(event) {
      event.preventDefault();
      this.node.focus({ preventScroll: true });
      this.node.setPointerCapture(event.pointerId);
      const { pane, axis } = this;
      const share = ({ clientX, clientY }) => {
        const { left, top, width } = pane.svg.getBoundingClientRect();
        const scale = pane.width / width;
        if (this.along === "x") return ((clientX - left) * scale - pane.box.left) / pane.box.width;
        return 1 - ((clientY - top) * scale - pane.box.top) / pane.box.height;
      };
      const offset = axis.place(this.value()) - share(event);
      const follow = (moved) => this.go(axis.value(share(moved) + offset));
      const release = () => this.node.removeEventListener("pointermove", follow);
      this.node.addEventListener("pointermove", follow);
      for (const end of ["pointerup", "pointercancel"]) this.node.addEventListener(end, release, { once: true });
    }

    // by steps of the axis: a log axis moves by equal factors
    key(event) {
      const [from, to] = this.limits();
      const size = this.axis.place(this.value() + this.step) - this.axis.place(this.value());
      const by = (steps) => this.axis.value(this.axis.place(this.value()) + steps * size);
      const far = this.far ?? 10;
      const target = {
        ArrowRight: by(1), ArrowUp: by(1), ArrowLeft: by(-1), ArrowDown: by(-1), PageUp: by(far), PageDown: by(-far),
        Home: from, End: to,
      }[event.key];
      if (target === undefined) return;
      event.preventDefault();
      this.go(target);
    }
  }

  class Stage {
    constructor(name, caption) {
      Object.assign(this, { name, state: {}, panes: [], inputs: [], say: null, numbers: () => ({}) });
      this.root = node("div", { class: "classex-stage", role: "group", "data-figure": name, "aria-label": "Moving figure" });
      if (caption) this.root.setAttribute("aria-labelledby", (caption.id ||= `classex-${name}-caption`));
      this.charts = node("div", { class: "classex-panes" });
      this.said = node("p", { class: "classex-says", role: "status" });
      this.controls = node("div", { class: "classex-controls" });
      this.key = node("p", { class: "classex-key" });
      this.root.append(this.controls, this.charts, this.key, this.said);
    }

    pane(options) {
      const made = new Pane(this, options);
      this.panes.push(made);
      this.charts.append(made.holder);
      return made;
    }

    // of the number state[name]: a labelled range of the browser
    slider({ label, name, values, from = 0, to = values.length - 1, step = 1, text = String }) {
      const id = `classex-${this.name}-${name}`;
      const miss = (i) => Math.abs(values[i] - this.state[name]);
      const nearest = () => values.reduce((best, _, i) => (miss(i) < miss(best) ? i : best), 0);
      const row = node("p", { class: "classex-slider" });
      const input = node("input", { id, type: "range", min: from, max: to, step });
      const output = node("output", { for: id });
      row.append(node("label", { for: id }, label), input, output);
      input.addEventListener("input", () => this.set({ [name]: values ? values[input.value] : Number(input.value) }));
      this.shows(() => {
        input.value = values ? nearest() : this.state[name];
        output.textContent = text(this.state[name]);
        input.setAttribute("aria-valuetext", output.textContent);
      });
      this.controls.append(row);
      return input;
    }

    button(label, action) {
      const made = node("button", { type: "button" }, label);
      made.addEventListener("click", action);
      this.controls.append(made);
      return made;
    }

    // called whenever something has changed, for what is neither a pane nor a slider
    shows(show) { this.inputs.push(show); }

    set(changes) {
      Object.assign(this.state, changes);
      this.update();
    }

    update() {
      this.inputs.forEach((show) => show());
      this.panes.forEach((pane) => pane.render());
      if (!this.say) return;
      // screen readers wait until nothing has moved for a moment
      this.said.setAttribute("aria-busy", "true");
      this.said.textContent = this.say();
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.said.setAttribute("aria-busy", "false"), 500);
    }

    // step(share) for shares from 0 to 1 over so many milliseconds; step(1) alone where motion is unwelcome
    animate(milliseconds, step) {
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return step(1);
      const start = performance.now();
      const next = (now) => {
        const share = limit((now - start) / milliseconds, 0, 1);
        step(share);
        if (share < 1) this.frame = requestAnimationFrame(next);
      };
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(next);
    }
  }

  // The static figure stays if anything goes wrong
  function mount(box, build) {
    const covered = document.getElementById(box.dataset.over);
    const caption = covered?.querySelector(":scope > figcaption") ?? null;
    const stage = new Stage(box.dataset.moving, caption);
    try {
      build(stage);
      covered.insertBefore(stage.root, caption);
      stage.update();
    } catch (error) {
      stage.root.remove();
      stage.panes.forEach(({ observer }) => observer.disconnect());
      console.error(`moving figure ${stage.name} over #${box.dataset.over}:`, error);
      return;
    }
    covered.classList.add("classex-moves");
    box.hidden = false;
    moving.mounted[stage.name] = stage;
  }

  // A figure's script comes when the page is there: load.js
  const figure = (name, build) => document.querySelectorAll(`[data-moving=${name}]`).forEach((box) => mount(box, build));

  Object.assign(moving, { figure, holdPage, mounted: {}, node });
}());
