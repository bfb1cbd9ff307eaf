// Cells that run, on a page that tools/live.py shows: each can be edited, and runs after those before it.
(function () {
  "use strict";

  const COLOURS = /\u001b\[[0-9;]*m/g;
  const session = crypto.randomUUID();
  const waiting = new Map();
  const done = new Set();
  const xsrf = () => (document.cookie.match(/(?:^|; )_xsrf=([^;]+)/) || [])[1] || "";
  let kernel = null;

  function ask(path, method, more = {}) {
    const headers = { "X-XSRFToken": xsrf(), "Content-Type": "application/json" };
    return fetch(`/api/kernels${path}`, { method, headers, ...more });
  }

  async function start() {
    const reply = await ask("", "POST", { body: JSON.stringify({ name: "python3" }) });
    if (!reply.ok) throw new Error(`no kernel: ${reply.status}`);
    const { id } = await reply.json();
    const socket = new WebSocket(`${location.origin.replace(/^http/, "ws")}/api/kernels/${id}/channels`);
    await new Promise((open, fail) => { socket.onopen = open; socket.onerror = fail; });
    socket.onmessage = ({ data }) => { if (typeof data === "string") hear(JSON.parse(data)); };
    window.addEventListener("pagehide", () => ask(`/${id}`, "DELETE", { keepalive: true }));
    return socket;
  }

  function hear({ header, parent_header: asked, content }) {
    const run = waiting.get(asked.msg_id);
    if (!run) return;
    if (header.msg_type === "stream") write(run.box, content.text);
    if (header.msg_type === "error") write(run.box, content.traceback.join("\n").replace(COLOURS, ""));
    if (["execute_result", "display_data"].includes(header.msg_type)) show(run.box, content.data);
    if (header.msg_type === "error") run.failed = true;
    if (header.msg_type === "status" && content.execution_state === "idle") {
      waiting.delete(asked.msg_id);
      run.end(!run.failed);
    }
  }

  // text that follows text goes into the same box
  function write(box, text) {
    const last = box.querySelector(":scope > .output:last-of-type");
    const pre = last && last.matches(".stream") ? last.querySelector("pre") : document.createElement("pre");
    pre.append(text);
    if (!pre.parentElement) add(box, "output stream highlight").append(pre);
  }

  function show(box, data) {
    const image = ["image/svg+xml", "image/png"].find((kind) => data[kind]);
    if (data["text/html"]) {
      add(box, "output text_html").innerHTML = data["text/html"];
    } else if (image === "image/png") {
      add(box, "output").innerHTML = `<img alt="" src="data:image/png;base64,${data[image]}">`;
    } else if (image) {
      add(box, "output").innerHTML = data[image];
    } else {
      write(box, `${data["text/plain"]}\n`);
    }
  }

  function add(box, names) {
    const part = document.createElement("div");
    part.className = names;
    box.insertBefore(part, box.querySelector(":scope > figcaption"));
    return part;
  }

  function execute(cell) {
    const id = crypto.randomUUID();
    const header = { msg_id: id, msg_type: "execute_request", username: "", session, date: "", version: "5.3" };
    const content = { code: cell.code.textContent, silent: false, store_history: true, allow_stdin: false };
    cell.box.replaceChildren(...cell.box.querySelectorAll("figcaption"));
    return new Promise((end) => {
      waiting.set(id, { box: cell.box, end });
      kernel.send(JSON.stringify({ channel: "shell", header, content, parent_header: {}, metadata: {}, buffers: [] }));
    });
  }

  async function run(cell) {
    cells.forEach(({ button }) => { button.disabled = true; });
    try {
      cell.button.textContent = "Running";
      kernel = kernel || await start();
      const before = cells.slice(0, cells.indexOf(cell)).filter((one) => !done.has(one) && !one.optional);
      for (const one of [...before, cell]) {
        if (!await execute(one)) break;
        done.add(one);
      }
    } catch (error) {
      cell.box.replaceChildren();
      write(cell.box, String(error.message || "the server does not answer"));
    }
    cells.forEach(({ button }) => { button.disabled = false; });
    cell.button.textContent = "Run";
  }

  const cells = [...document.querySelectorAll(".bd-article div.cell")].flatMap((element) => {
    const code = element.querySelector(".cell_input pre");
    if (!code) return [];
    const box = element.querySelector(".cell_output") || add(element, "cell_output");
    box.setAttribute("aria-live", "polite");
    code.setAttribute("contenteditable", "plaintext-only");
    code.setAttribute("role", "textbox");
    code.setAttribute("aria-multiline", "true");
    code.setAttribute("aria-label", "code, may be edited");
    code.spellcheck = false;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "classex-run btn btn-sm";
    button.textContent = "Run";
    const cell = { code, box, button, optional: element.closest(".solution") !== null };
    button.addEventListener("click", () => run(cell));
    code.addEventListener("input", () => done.delete(cell));
    code.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.shiftKey) {
        event.preventDefault();
        run(cell);
      }
    });
    element.querySelector(".cell_input").after(button);
    return [cell];
  });
}());
