// The panel that tries an operation. Its form is fetched when the panel is opened. The key is in a variable of this page and in the field
// where it was typed: not in storage, cookies or addresses, and it is sent to this installation alone.
"use strict";

let key = "";
const longest = 100000; // characters of a body that are shown
const telling = ["Content-Type", "ETag", "Location", "Link", "Retry-After", "Idempotency-Replayed", "X-RateLimit-Limit", "X-RateLimit-Remaining",
  "X-RateLimit-Reset", "X-Request-Id", "X-Served-Region"];

for (const panel of document.querySelectorAll("details.try")) {
  panel.hidden = false;
  panel.addEventListener("toggle", () => { if (panel.open) openPanel(panel); });
}
for (const form of document.querySelectorAll(".try-form")) begin(form); // the page of one operation

async function openPanel(panel) {
  const place = panel.querySelector(".try-place");
  if (!place.querySelector("form")) {
    try {
      const response = await fetch(panel.dataset.panel, { credentials: "omit" });
      const page = new DOMParser().parseFromString(await response.text(), "text/html"), form = page.querySelector(".try-form");
      if (place.querySelector("form")) return; // opened once more meanwhile
      place.replaceChildren(form);
      begin(form);
    } catch {
      const problem = document.createElement("p");
      problem.className = "problem";
      problem.setAttribute("role", "alert");
      problem.textContent = document.querySelector("[data-no-panel]").dataset.noPanel;
      place.replaceChildren(problem);
      return;
    }
  }
  place.querySelector("[data-key]").value = key;
}

function begin(form) {
  const field = form.querySelector("[data-key]"), command = form.querySelector(".try-command");
  const show = () => { command.textContent = commandOf(form, callOf(form)); };
  field.addEventListener("input", () => { key = field.value.trim(); });
  form.addEventListener("input", show);
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => { event.preventDefault(); send(form); });
  form.addEventListener("keydown", (event) => { // within the text, where Enter begins a line
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  show();
  for (const text of form.querySelectorAll("pre")) copyable(text);
}

// callOf reads the form: what is to be sent, without the key.
function callOf(form) {
  const { method, path, type } = form.dataset, headers = [], query = [];
  let address = path;
  for (const field of form.querySelectorAll("[data-in]")) {
    const value = field.multiple ? [...field.selectedOptions].map((option) => option.value).join(",") : field.value.trim();
    if (value === "") continue;
    const name = field.dataset.name, encoded = encodeURIComponent(value).replaceAll("%2C", ",");
    if (field.dataset.in === "path") address = address.replace(`{${name}}`, () => encodeURIComponent(value));
    else if (field.dataset.in === "query") query.push(encodeURIComponent(name) + "=" + encoded);
    else headers.push([name, value]);
  }
  if (query.length) address += "?" + query.join("&");
  const call = { method, address, headers, text: form.querySelector("[data-body]")?.value, file: form.querySelector("[data-file]")?.files[0] };
  if (type === "multipart/form-data") call.parts = true;
  else if (call.text?.trim() || call.file) headers.push(["Content-Type", type]);
  return call;
}

// commandOf is the call for a shell, with the name of the variable that holds the key.
function commandOf(form, call) {
  const quoted = (text) => "'" + text.replaceAll("'", `'\\''`) + "'";
  const lines = [`curl${call.method === "GET" ? "" : " -X " + call.method} ${quoted(form.dataset.base + call.address)}`, `-H "Authorization: Bearer $AMS_API_KEY"`];
  for (const [name, value] of call.headers) lines.push("-H " + quoted(name + ": " + value));
  const file = "@" + (call.file?.name ?? "FILE");
  if (call.parts) lines.push("-F " + quoted("document=" + call.text), "-F " + quoted("file=" + file));
  else if (call.text?.trim()) lines.push("--data-raw " + quoted(call.text));
  else if (form.querySelector("[data-file]")) lines.push("--data-binary " + quoted(file));
  return lines.join(" \\\n  ");
}

let running = null; // what ends the call that is under way
async function send(form) {
  running?.abort();
  const own = running = new AbortController();
  const call = callOf(form), state = form.querySelector(".try-state"), result = form.querySelector(".try-result");
  let body = call.text?.trim() ? call.text : call.file;
  if (call.parts) {
    body = new FormData();
    body.append("document", call.text);
    if (call.file) body.append("file", call.file);
  }
  state.className = "try-state";
  state.textContent = form.dataset.wait;
  result.hidden = true;
  try {
    const begun = performance.now();
    const response = await fetch(call.address, { method: call.method, headers: [...call.headers, ["Authorization", "Bearer " + key]], body,
      credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer", signal: own.signal });
    const content = await response.blob();
    const text = /^text\/|json|xml|csv/.test(content.type) ? await content.text() : null;
    state.classList.add(response.ok || response.status === 304 ? "good" : "problem");
    state.textContent = `${response.status} ${response.statusText} · ${Math.round(performance.now() - begun)} ms`;
    show(form, result, response, content, text);
  } catch {
    if (own.signal.aborted) return; // another call is under way
    state.classList.add("problem");
    state.textContent = form.dataset.noResponse;
  }
}

function show(form, result, response, content, text) {
  const [headers, body, note] = ["dl", "pre", "p.hint"].map((part) => result.querySelector(part));
  headers.replaceChildren(...telling.filter((name) => response.headers.has(name)).map((name) => {
    const row = document.createElement("div"), term = document.createElement("dt"), value = document.createElement("dd");
    term.textContent = name;
    value.textContent = response.headers.get(name);
    row.append(term, value);
    return row;
  }));
  const whole = text !== null && /json$/.test(content.type.split(";")[0]) ? indented(text) : text ?? "";
  body.textContent = whole.slice(0, longest);
  (body.closest(".with-copy") ?? body).hidden = whole === "";
  note.textContent = content.size === 0 ? form.dataset.empty : text === null ? `${form.dataset.binary} ${content.size}`
    : whole.length > longest ? `${form.dataset.cut} ${longest} / ${whole.length}` : "";
  result.hidden = false;
}

// indented sets JSON on lines, token by token: numbers stay as they came, which they do not when they are read and written.
function indented(text) {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let out = "", depth = 0;
  const line = () => "\n" + "  ".repeat(depth);
  tokens.forEach((token, i) => {
    const opens = token === "{" || token === "[", closes = token === "}" || token === "]";
    const wasOpened = i > 0 && (tokens[i - 1] === "{" || tokens[i - 1] === "[");
    if (closes) {
      depth--;
      out += (wasOpened ? "" : line()) + token;
      return;
    }
    if (wasOpened) out += line();
    out += token;
    if (opens) depth++;
    if (token === ",") out += line();
    if (token === ":") out += " ";
  });
  return out;
}
