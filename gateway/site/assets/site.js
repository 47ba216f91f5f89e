// What is nicer with a script: the language of samples is remembered, code can be copied, the search answers while one types. Without it
// everything else works.
"use strict";

const kept = "ams-sample-language";

function choose(language) {
  for (const tab of document.querySelectorAll(`.samples > input[value="${CSS.escape(language)}"]`)) tab.checked = true;
}

try {
  const language = localStorage.getItem(kept);
  if (language) choose(language);
} catch { /* a browser that keeps nothing */ }

document.addEventListener("change", (event) => {
  if (!event.target.matches(".samples > input")) return;
  const top = event.target.getBoundingClientRect().top;
  choose(event.target.value);
  scrollBy(0, event.target.getBoundingClientRect().top - top); // what is above may have become longer
  try { localStorage.setItem(kept, event.target.value); } catch { /* as above */ }
});

// copyable puts a button beside code that copies it.
function copyable(code) {
  if (!navigator.clipboard) return;
  const frame = document.createElement("div"), button = document.createElement("button");
  frame.className = "with-copy";
  button.className = "copy";
  button.type = "button";
  button.textContent = document.body.dataset.copy;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = document.getElementById("announcer").textContent = document.body.dataset.copied;
    setTimeout(() => { button.textContent = document.body.dataset.copy; }, 2000);
  });
  code.replaceWith(frame);
  frame.append(code, button);
}

for (const code of document.querySelectorAll("pre:not(.try-form pre)")) copyable(code); // those are seen to by try.js

// Links to operations in Swagger UI, which was at /docs and at /docs/try: #/assets/list_assets.
const former = location.hash.match(/^#\/([\w-]+)(?:\/([\w-]+))?/);
if (former && ["/docs", "/docs/reference"].includes(location.pathname)) {
  location.replace("/docs/reference/" + former[1] + (former[2] ? "#" + former[2] : ""));
}

const field = document.getElementById("find"), results = document.getElementById("results");
if (results) {
  let waiting = 0, asked = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const turn = ++asked, address = "/docs/search?q=" + encodeURIComponent(field.value);
      const answer = await fetch(address);
      if (!answer.ok || turn !== asked) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      results.replaceChildren(...page.getElementById("results").childNodes);
      history.replaceState(null, "", address);
    }, 250);
  });
}
