// What the pages do not need but people like: copying with one press, the code of an invitation's link put into its field,
// the problems of a form read out first. Every page works without it.
"use strict";

const say = (words) => { document.getElementById("announcer").textContent = words; };

const select = (element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
};

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  const label = button.firstChild;
  const before = label.data;
  button.addEventListener("click", async () => {
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      label.data = document.body.dataset.copied;
      say(document.body.dataset.copied);
      setTimeout(() => { label.data = before; }, 2500);
    } catch {
      select(source);
      say(document.body.dataset.copyFailed);
    }
  });
}

// The part after # is sent to nobody. It goes into the form and out of the address bar, where it could be seen.
const field = document.querySelector("[data-from-fragment]");
if (field && location.hash.length > 1) {
  field.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
}

document.getElementById("problems")?.focus();
