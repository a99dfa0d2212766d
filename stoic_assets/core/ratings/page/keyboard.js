// Keys: what each does, once the rater's name is known. Fields, dialogs and the browser's own shortcuts keep their keys.

const isTyping = (target) => target.matches("textarea, input[type=text]");
const isPressed = (target) => target.closest("button, a, summary, input[type=file]") !== null;

/** Connects the keyboard to `actions`, a function for each named action. */
const listen = (session, actions) => {
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (session.work === null || document.querySelector("dialog[open]")) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const action = isTyping(target) ? leaving(key, actions) : meant(event, session, actions);
    if (!action) return;
    event.preventDefault();
    if (!event.repeat) action();
  });
};

const leaving = (key, actions) => (key === "Escape" ? actions.leaveComment : null);

/** The digit of a key, also on keyboards that require Shift for digits. */
const digitOf = ({ key, code, shiftKey }) => (/^\d$/.test(key) ? key : shiftKey ? "" : (/^Digit(\d)$/.exec(code)?.[1] ?? ""));

/** The letter of a key; on keyboards without Latin letters that of its place. */
const letterOf = ({ key, code }) => {
  if (!/[^\p{ASCII}\p{Script=Latin}]/u.test(key)) return key.toLowerCase();
  return key === "؟" ? "?" : (/^Key(\w)$/.exec(code)?.[1] ?? "").toLowerCase();
};

const meant = (event, session, actions) => {
  const { key, target } = event;
  if (key === "Enter") return isPressed(target) ? null : actions.goOn;
  if (!session.work.shortcuts) return null;
  const pressed = letterOf(event);
  const everywhere = { l: actions.list, f: actions.first, s: actions.file, "?": actions.help }[pressed];
  return everywhere ?? (session.isRating() ? meantForItem(event, pressed, session.item, actions) : null);
};

const meantForItem = (event, pressed, item, actions) => {
  const digit = digitOf(event);
  if (digit === "0") return () => item.answer(NOT_APPLICABLE);
  if (/^[1-5]$/.test(digit)) return () => item.answer(Number(digit));
  const choice = DATA.overall.find((each) => each.key === pressed);
  if (choice) return () => overall(item, choice.value);
  return { c: actions.comment, b: actions.back, u: actions.undo }[pressed];
};

/** y, m, n: the overall question, on a rated reply at any question; n is N/A where that is possible. */
const overall = (item, value) => {
  if (value === "no" && DATA.optional.includes(QUESTIONS[item.question])) return item.answer(NOT_APPLICABLE);
  if (item.work.isComplete(item.number)) item.question = QUESTIONS.indexOf("overall");
  return item.answer(value);
};
