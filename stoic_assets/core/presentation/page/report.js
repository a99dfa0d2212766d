for (const part of document.querySelectorAll("pre, .scroll")) reachable.observe(part);
const tools = document.getElementById("trial-tools");
const trials = [...document.querySelectorAll("details.trial")];
const shown = document.getElementById("trial-shown");
const count = () => {
  if (shown) shown.textContent = `${trials.filter((trial) => !trial.hidden).length} of ${trials.length} shown`;
};
// What is near comes to its size only once it is drawn, and moves the target: a few frames later nothing moves.
const land = (target, frames) => {
  target.scrollIntoView();
  if (frames) requestAnimationFrame(() => land(target, frames - 1));
};
const reveal = () => {
  const target = document.getElementById(location.hash.slice(1));
  const folded = target && target.closest("details.trial, details.flip");
  if (!folded) return;
  folded.hidden = false;
  folded.open = true;
  count();
  land(target, 6);
};
addEventListener("hashchange", reveal);
reveal();
if (!tools || !trials.length) return;
const toggle = document.getElementById("trial-toggle");
toggle.addEventListener("click", () => {
  const open = toggle.textContent === "Expand all";
  for (const part of tools.parentElement.querySelectorAll("details:not(.raw)")) part.open = open;
  toggle.textContent = open ? "Collapse all" : "Expand all";
});
tools.hidden = false;
// The report of ratings has nothing to search in.
const search = document.getElementById("trial-search");
const troubled = document.getElementById("trial-troubled");
if (!search) return;
// A letter with an accent may be one character or two, and looks the same.
const folded = (text) => text.toLowerCase().normalize();
const texts = new Map();
// Every trial has this fact: who searches for "failed" means none with 0 failed messages.
const wordsOf = (trial) => trial.textContent.replace("failed messages", "");
const textOf = (trial) => {
  if (!texts.has(trial)) texts.set(trial, folded(`${wordsOf(trial)} ${trial.dataset.outcome}`));
  return texts.get(trial);
};
const filter = () => {
  const wanted = folded(search.value).match(/"[^"]+"|\S+/g) || [];
  for (const trial of trials) {
    const fits = wanted.every((words) => textOf(trial).includes(words.replaceAll('"', "")));
    trial.hidden = !fits || (troubled.checked && !trial.classList.contains("troubled"));
  }
  count();
};
search.addEventListener("input", filter);
troubled.addEventListener("change", filter);
filter();
