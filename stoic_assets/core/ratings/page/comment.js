// The field for a comment: near its limit it says how much still fits, and what did not fit is not cut in silence.

const NEAR = 400;

/** What is said below the field; in steps, so that not every key is read out. `cut` characters did not fit. */
const roomFor = ({ value, maxLength }, cut) => {
  const most = maxLength.toLocaleString("en");
  if (cut) return `${cut.toLocaleString("en")} more than fit: a comment has at most ${most} characters. The rest was cut off.`;
  const left = Math.max(0, maxLength - value.length);
  const step = left > 100 ? 100 : 10;
  return left > NEAR ? "" : `At most ${Math.ceil(left / step) * step} more characters fit.`;
};

const showRoom = (cut = 0) => setText("comment-room", roomFor(byId("comment"), cut));

/** Passes each change to `store`. The browser cuts what is beyond the limit, and does not tell. */
const connectComment = (store) => {
  const field = byId("comment");
  let cut = 0;
  field.addEventListener("beforeinput", ({ data }) => {
    const room = field.maxLength - field.value.length + field.selectionEnd - field.selectionStart;
    cut = Math.max(0, (data ?? "").length - Math.max(0, room));
    showRoom(cut);
  });
  field.addEventListener("input", () => {
    store(field.value);
    showRoom(cut);
  });
};
