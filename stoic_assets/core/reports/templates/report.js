(() => {
  const tools = document.getElementById("trial-tools");
  const trials = [...document.querySelectorAll("details.trial")];
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    const folded = target && target.closest("details.trial, details.flip");
    if (!folded) return;
    folded.hidden = false;
    folded.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
  if (!tools || !trials.length) return;
  const search = document.getElementById("trial-search");
  const troubled = document.getElementById("trial-troubled");
  const toggle = document.getElementById("trial-toggle");
  const shown = document.getElementById("trial-shown");
  const texts = new Map();
  const textOf = (trial) => {
    if (!texts.has(trial)) texts.set(trial, trial.textContent.toLowerCase());
    return texts.get(trial);
  };
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    for (const trial of trials) {
      const fits = !wanted || textOf(trial).includes(wanted);
      trial.hidden = !fits || (troubled.checked && !trial.classList.contains("troubled"));
    }
    shown.textContent = `${trials.filter((trial) => !trial.hidden).length} of ${trials.length} shown`;
  };
  search.addEventListener("input", filter);
  troubled.addEventListener("change", filter);
  toggle.addEventListener("click", () => {
    const open = toggle.textContent === "Expand all";
    for (const trial of trials) trial.open = open;
    toggle.textContent = open ? "Collapse all" : "Expand all";
  });
  tools.hidden = false;
  filter();
})();
