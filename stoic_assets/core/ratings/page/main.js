// The session: from the rater's name to the saved file.

const session = {
  work: null,
  item: null,
  clock: null,

  isRating() {
    return this.work !== null && !byId("rating").hidden;
  },

  /** Continues a rater's work where it stopped. */
  begin(rater) {
    this.clock.stop(); // its time is of no reply that is opened now
    storage.write(PLACE, { rater });
    this.work = new Work(rater);
    this.item = new ItemView(this.work, this.clock);
    byId("shortcuts").checked = this.work.shortcuts;
    setText("rater-name", rater);
    this.resume();
  },

  /** The first unfinished item, or what comes when there is none. */
  resume() {
    closeDialogs();
    const number = this.work.firstUnfinished();
    if (number === null) return this.finish();
    if (!this.work.isPractice(number) && !this.work.unlocked) return this.practised();
    return this.item.open(number);
  },

  /** To the first unfinished item, out of the practice too when that is done. */
  first() {
    if (byId("practised").hidden) this.resume();
    else this.unlock();
  },

  open(number) {
    closeDialogs();
    this.item.open(number);
  },

  /** To the next item, or out of the last one, if this one is complete. */
  next() {
    if (this.item.moveToMissing()) return;
    this.work.save();
    const following = this.item.number + 1;
    const isLast = following === (this.work.unlocked ? this.work.order.length : DATA.practice.length);
    if (isLast) this.resume();
    else this.open(following);
  },

  back() {
    if (this.item.number > 0) this.open(this.item.number - 1);
  },

  undo() {
    const last = this.work.undo();
    if (!last) return announce("There is nothing to undo.");
    if (last.number !== this.item.number) this.item.open(last.number);
    this.item.move(QUESTIONS.indexOf(last.question));
    return announce("Undone.");
  },

  practised() {
    this.clock.stop();
    const pairs = [...DATA.practice.keys()].flatMap((number) =>
      DIMENSIONS.map((name) => [this.work.answer(number, name), DATA.practice[number].reference[name]]));
    const near = pairs.filter(([mine, theirs]) => mine === theirs || (mine && theirs && Math.abs(mine - theirs) === 1)).length;
    setText("practised-text", `${near} of your ${pairs.length} marks are equal to the reference or next to it.`);
    show("practised");
    showProgress(this.work);
  },

  unlock() {
    this.work.save({ unlocked: true });
    this.resume();
  },

  finish() {
    this.clock.stop();
    this.work.save({ unlocked: true });
    showSaved(this.work);
    setText("finished-text", `${this.work.rated.length} of ${DATA.items.length} replies are rated. Thank you.`);
    show("finished");
    showProgress(this.work);
  },

  list() {
    showList(this.work, this.isRating() ? this.item.number : null, (number) => this.open(number));
    openDialog("list");
  },

  file() {
    const { rated, practised, unfinished } = this.work;
    const without = unfinished.length ? ` It leaves out replies that are begun and not finished (${unfinished.length}), with their comments: finish these first.` : "";
    setText("file-text", `It contains ${rated.length} of ${DATA.items.length} rated replies and ${practised.length} of ${DATA.practice.length} for practice.${without} Send it to the study lead when you are done, or load it on another device to continue there.`);
    showSaved(this.work);
    byId("text").value = fileText(this.work);
    byId("share").hidden = !navigator.canShare?.({ files: [fileOf(this.work)] });
    openDialog("file");
  },

  /** Notes that the ratings as they are have been saved, and says so. */
  saved() {
    noteSaved(this.work);
    showSaved(this.work);
  },

  /** Takes in a saved file: on the welcome page it also says who rates. */
  async take(input) {
    const problem = document.querySelector(`[data-problem="${input.id}"]`);
    problem.textContent = "";
    try {
      const { rater, entries } = readFile(await input.files[0].text());
      require(RATER.test(rater), "The rater id in this file is not valid on this page.");
      require(!this.work || this.work.rater === rater, `This file belongs to ${rater}; you rate as ${this.work?.rater}.`);
      this.clock.stop(); // the time until now is of the reply that is open, and is stored with what is taken
      const taken = takeIn(this.work ?? new Work(rater), entries);
      this.begin(rater);
      announce(loaded(taken));
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      problem.textContent = error.message;
    }
    input.value = "";
  },
};

const loaded = ({ taken, newerHere }) => {
  if (!taken) return "This file contains no rating that is newer than yours here.";
  const kept = newerHere ? ` ${newerHere} not taken: your own here ${newerHere === 1 ? "is" : "are"} newer.` : "";
  return `${taken} rating${taken === 1 ? "" : "s"} loaded.${kept}`;
};

const enter = (event) => {
  event.preventDefault();
  const rater = byId("rater").value.trim().toLowerCase();
  const fault = faultOf(rater);
  byId("rater").setAttribute("aria-invalid", String(fault !== ""));
  setText("rater-problem", fault);
  if (fault) byId("rater").focus();
  else session.begin(rater);
};

/** Connects an element to what happens when it is pressed. */
const onClick = (id, action) => byId(id).addEventListener("click", action);

const connectQuestions = () => {
  let byPointer = false;
  addEventListener("pointerdown", () => { byPointer = true; }, true);
  addEventListener("keydown", () => { byPointer = false; }, true);
  for (const question of QUESTIONS) {
    fieldset(question).addEventListener("focusin", () => {
      session.item.question = QUESTIONS.indexOf(question);
      session.item.render();
    });
    fieldset(question).addEventListener("change", ({ target }) => {
      const value = question === "overall" ? target.value : target.value === "" ? NOT_APPLICABLE : Number(target.value);
      session.item.choose(question, value);
      if (byPointer) session.item.move(session.item.question + 1, false);
    });
  }
  connectComment((text) => session.work.comment(session.item.number, text));
};

const connectButtons = () => {
  byId("enter").addEventListener("submit", enter);
  onClick("next", () => session.next());
  onClick("back", () => session.back());
  onClick("undo", () => session.undo());
  onClick("unlock", () => session.unlock());
  onClick("open-list", () => session.list());
  onClick("review", () => session.list());
  onClick("open-file", () => session.file());
  onClick("open-help", () => openDialog("help"));
  onClick("first-open", () => session.first());
  onClick("share", () => navigator.share({ files: [fileOf(session.work)] }).then(() => session.saved(), () => {}));
  onClick("other-rater", () => {
    session.work.save();
    session.clock.stop();
    session.work = null;
    storage.write(PLACE, {});
    closeDialogs();
    byId("rater").value = "";
    show("welcome");
  });
  byId("shortcuts").addEventListener("change", ({ target }) => {
    session.work.save({ shortcuts: target.checked });
  });
  for (const input of [byId("welcome-file"), byId("dialog-file")]) input.addEventListener("change", () => session.take(input));
  for (const button of document.querySelectorAll("[data-save]")) button.addEventListener("click", () => {
    saveFile(session.work);
    session.saved();
  });
  for (const button of document.querySelectorAll("[data-close]")) button.addEventListener("click", () => closeDialogs());
};

const connectWindow = () => {
  const save = () => session.work?.save();
  const catchUp = () => {
    if (session.work === null) return;
    const wasBlank = session.work.isBlank;
    session.work.catchUp();
    showSaved(session.work);
    if (wasBlank && !session.work.isBlank) return session.resume();
    if (session.isRating()) session.item.render();
  };
  addEventListener("storage", ({ key }) => session.work && key?.startsWith(session.work.place) && catchUp());
  addEventListener("pagehide", save);
  // A page that becomes visible may be older than what is stored: it reads, and never writes.
  document.addEventListener("visibilitychange", () => (document.hidden ? save() : catchUp()));
  addEventListener("pageshow", ({ persisted }) => persisted && session.work && session.begin(session.work.rater));
  addEventListener("beforeunload", (event) => {
    if (storage.atRisk.some((rater) => !isInFile(new Work(rater)))) event.preventDefault();
  });
};

const start = () => {
  session.clock = new Stopwatch((seconds) => session.work?.spend(session.item.number, seconds));
  connectQuestions();
  connectButtons();
  connectWindow();
  listen(session, {
    goOn: () => document.querySelector("main > section:not([hidden]) button.main").click(),
    back: () => session.back(),
    undo: () => session.undo(),
    first: () => session.first(),
    list: () => session.list(),
    file: () => session.file(),
    help: () => openDialog("help"),
    comment: () => byId("comment").focus(),
    leaveComment: () => byId("next").focus(),
  });
  const last = storage.read(PLACE)[0]?.rater;
  if (typeof last === "string") session.begin(last);
  else show("welcome");
};

start();
