// The item that is being rated: its texts, its questions, and which question comes next.

const LAST = QUESTIONS.length; // past the questions: the button that goes on
const fieldset = (question) => document.querySelector(`fieldset[data-question="${question}"]`);
const radios = (question) => [...fieldset(question).querySelectorAll("input")];
const spoken = (question, value) =>
  question === "overall" ? DATA.overall.find((choice) => choice.value === value).title : value ?? "N/A";

class ItemView {
  constructor(work, clock) {
    this.work = work;
    this.clock = clock;
    this.number = 0;
    this.question = 0;
  }

  /** Opens an item at its first unanswered question; a rated one at its first question, so that keys change the marks. */
  open(number) {
    this.clock.stop();
    this.number = number;
    const item = this.work.order[number];
    const missing = this.work.unanswered(number);
    this.question = missing.length ? QUESTIONS.indexOf(missing[0]) : 0;
    showText("input", item.input);
    showText("reply", item.reply);
    this.render();
    show("rating");
    document.querySelector(".texts").scrollTop = 0;
    this.clock.start(item.words);
  }

  /** Updates the page to the answers. */
  render() {
    const { work, number } = this;
    setText("item-title", titleOf(work, number));
    byId("practice-note").hidden = !work.isPractice(number);
    for (const [index, question] of QUESTIONS.entries()) this.renderQuestion(index, question);
    byId("comment").value = work.record(number).comments;
    showRoom();
    byId("back").disabled = number === 0;
    byId("undo").disabled = work.former.length === 0;
    byId("next").classList.toggle("current", this.question === LAST);
    this.renderFeedback();
    showProgress(work);
    announce("");
  }

  renderQuestion(index, question) {
    const answer = this.work.answer(this.number, question);
    for (const radio of radios(question)) {
      radio.checked = answer !== UNANSWERED && radio.value === String(answer ?? "");
    }
    fieldset(question).classList.toggle("current", index === this.question);
  }

  /** In practice, once all is answered: own marks next to the reference. */
  renderFeedback() {
    const { work, number } = this;
    const isOver = work.isPractice(number) && work.isComplete(number);
    byId("feedback").hidden = !isOver;
    if (!isOver) return;
    const { reference, feedback } = work.order[number];
    const titles = Object.fromEntries(DATA.dimensions.map(({ name, title }) => [name, title]));
    const rows = QUESTIONS.map((question) => {
      const mine = work.answer(number, question);
      const row = document.createElement("tr");
      const head = element("th", titles[question] ?? "Overall");
      head.scope = "row";
      row.append(head, element("td", spoken(question, mine)), element("td", spoken(question, reference[question])));
      row.classList.toggle("differs", mine !== reference[question]);
      return row;
    });
    byId("side-by-side").replaceChildren(...rows);
    setText("feedback-text", feedback);
  }

  /** Stores an answer to the current question and goes to the next one. */
  answer(value) {
    const question = QUESTIONS[this.question];
    if (question === undefined) return announce("All questions are answered. Press Enter to continue.");
    if (!isAnswer(question, value)) return announce("This key does not answer the current question.");
    this.work.give(this.number, question, value);
    return this.move(this.question + 1);
  }

  /** Stores an answer that was chosen on the page itself. */
  choose(question, value) {
    this.question = QUESTIONS.indexOf(question);
    this.work.give(this.number, question, value);
    this.render();
  }

  /** Makes a question the current one; with `focus` it also gets the keyboard focus. */
  move(question, focus = true) {
    this.question = question;
    this.render();
    const target = question === LAST ? byId("next") : fieldset(QUESTIONS[question]);
    if (focus) target.focus({ preventScroll: true });
    const shown = question === LAST && !byId("feedback").hidden ? byId("feedback") : target;
    shown.scrollIntoView({ block: "nearest" });
    if (question === LAST && byId("next").getBoundingClientRect().bottom > innerHeight) byId("next").scrollIntoView({ block: "nearest" });
  }

  /** Goes to the first question without an answer. Returns whether there was one. */
  moveToMissing() {
    const [missing] = this.work.unanswered(this.number);
    if (missing === undefined) return false;
    this.move(QUESTIONS.indexOf(missing));
    announce("This question is not answered yet.");
    return true;
  }
}
