// What the page shows besides the item itself: which part is visible, the progress, dialogs and announcements.

const byId = (id) => document.getElementById(id);
const VIEWS = ["welcome", "rating", "practised", "finished"];

/** Shows one part of the page and moves the focus to its heading. */
const show = (view) => {
  for (const name of VIEWS) byId(name).hidden = name !== view;
  byId("bar").hidden = view === "welcome";
  byId("unsaved").hidden = storage.works;
  announce("");
  scrollTo(0, 0);
  byId(view).querySelector("h1").focus({ preventScroll: true });
};

const SHOWN_MS = 6000;
let fading;

/**
 * Says something, until the next thing that happens. Screen readers read it out.
 * It is seen for some seconds only: it covers what is below, which may be what it speaks of.
 */
const announce = (text) => {
  const note = byId("announcement");
  note.textContent = text;
  note.classList.remove("unseen");
  clearTimeout(fading);
  fading = setTimeout(() => note.classList.add("unseen"), SHOWN_MS);
};

/** Opens a dialog; one that is to be read from its top has a heading that takes the focus. */
const openDialog = (id) => {
  if (byId(id).open) return;
  announce("");
  byId(id).showModal();
  byId(id).querySelector("h2[tabindex]")?.focus();
};

const closeDialogs = () => {
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
};

const minutes = (seconds) => {
  if (seconds === null) return "";
  return seconds < 60 ? ", less than a minute left" : `, about ${Math.round(seconds / 60)} min left`;
};

/** The bar at the top. Before practice is done it counts the practice. */
const showProgress = (work) => {
  const [done, all] = (work.unlocked ? [work.rated, DATA.items] : [work.practised, DATA.practice]).map((each) => each.length);
  byId("progress").max = all;
  byId("progress").value = done;
  const left = done < all ? minutes(work.secondsLeft()) : "";
  setText("progress-text", work.unlocked ? `${done} of ${all} rated${left}` : `Practice: ${done} of ${all} done`);
  byId("unsaved").hidden = storage.works;
};

/** Whether the file is saved: where it is saved from, and where the work ends. */
const showSaved = (work) => {
  for (const id of ["file-saved", "finished-saved"]) setText(id, savedState(work));
};

/** Sets a text only when it differs, so that nothing is read out twice. */
const setText = (id, text) => {
  if (byId(id).textContent !== text) byId(id).textContent = text;
};

const element = (name, text) => {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
};

/** The numbers of all items that are open to this rater, each a link to it. */
const showList = (work, current, open) => {
  const last = work.unlocked ? work.order.length : DATA.practice.length;
  const entries = work.numbers.slice(0, last).map((number) => {
    const button = element("button", work.isPractice(number) ? `P${number + 1}` : String(number + 1 - DATA.practice.length));
    const state = work.isComplete(number) ? "rated" : work.isBegun(number) ? "begun" : "open";
    button.type = "button";
    button.className = state;
    button.setAttribute("aria-label", `${button.textContent}: ${titleOf(work, number)}, ${state}`);
    if (number === current) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => open(number));
    const entry = document.createElement("li");
    entry.append(button);
    return entry;
  });
  byId("numbers").replaceChildren(...entries);
};

const titleOf = (work, number) =>
  work.isPractice(number)
    ? `Practice ${number + 1} of ${DATA.practice.length}`
    : `Reply ${number + 1 - DATA.practice.length} of ${DATA.items.length}`;
