// A rater's work: the answers, in memory and in the browser's storage after every change. Nothing here touches the page.

const DATA = JSON.parse(document.getElementById("data").textContent);
const DIMENSIONS = DATA.dimensions.map((dimension) => dimension.name);
const QUESTIONS = [...DIMENSIONS, "overall"];
const PLACE = `stoic-ratings:${DATA.page_id}`;
const UNANSWERED = undefined;
const NOT_APPLICABLE = null;

/**
 * The browser's storage: of this window, and of all windows of the browser. What it does not take, since it is missing
 * or full, the page keeps itself. The current rater, at PLACE, is this window's; a new one starts with the one written last.
 */
const storage = {
  memory: new Map(),
  get works() {
    return this.memory.size === 0;
  },
  /** The raters whose work is lost when the page is closed, whoever rates now. */
  get atRisk() {
    return [...new Set([...this.memory.keys()].filter((place) => place !== PLACE).map((place) => place.split(":")[2]))];
  },
  /** What is stored there, this window's first. */
  read(place) {
    try {
      const texts = [this.memory.get(place), sessionStorage.getItem(place), localStorage.getItem(place)];
      return texts.filter(Boolean).map((text) => JSON.parse(text));
    } catch {
      return [];
    }
  },
  write(place, value) {
    const text = JSON.stringify(value);
    try {
      sessionStorage.setItem(place, text);
      localStorage.setItem(place, text);
      this.memory.delete(place);
    } catch {
      this.memory.set(place, text);
    }
  },
};

const DAY_MS = 24 * 60 * 60 * 1000;

const blank = () => ({ ratings: {}, overall: UNANSWERED, comments: "", seconds: 0, edits: 0, timestamp: null, changes: 0 });

/** Of two copies of a record the one that was changed more often; if that is the same, the later, or that with more time. */
const newer = (one, other) => {
  const order = ({ changes, timestamp, seconds }) => [changes, new Date(timestamp ?? 0).getTime(), seconds];
  const [ones, others] = [order(one), order(other)];
  const first = ones.findIndex((value, index) => value !== others[index]);
  return first < 0 || ones[first] > others[first] ? one : other;
};

/** Whether `value` is an answer to `question`; N/A only where the question may not apply. */
const isAnswer = (question, value) => {
  if (question === "overall") return DATA.overall.some((choice) => choice.value === value);
  if (value === NOT_APPLICABLE) return DATA.optional.includes(question);
  return Number.isInteger(value) && value >= 1 && value <= 5;
};

class Work {
  /** Continues what the rater left in this browser, or starts. */
  constructor(rater) {
    this.rater = rater;
    this.order = [...DATA.practice, ...shuffled(DATA.items, `${DATA.page_id} ${rater}`)];
    this.former = [];
    this.touched = new Set(); // the ids of records that differ from what is stored
    Object.assign(this, { records: {}, unlocked: false, shortcuts: true, saved: null });
    this.load();
  }

  get place() {
    return `${PLACE}:${this.rater}`;
  }

  /**
   * Each record has a place of its own: a busy browser sometimes gives a page nothing of what is stored, and what that
   * page stores then must replace no more than the same record.
   */
  placeOf(id) {
    return `${this.place}:${id}`;
  }

  /** Takes over what this or another window of the same browser stored, where it is newer. */
  load() {
    for (const { test_id: id } of this.order) {
      for (const record of storage.read(this.placeOf(id))) this.records[id] = newer(this.records[id] ?? record, record);
    }
    for (const { unlocked, shortcuts, saved } of storage.read(this.place)) {
      Object.assign(this, { unlocked: this.unlocked || unlocked, shortcuts });
      if ((saved?.at ?? "") > (this.saved?.at ?? "")) this.saved = saved;
    }
  }

  /** Takes over what another window stored since. Once that changed an answer, there is nothing here to undo. */
  catchUp() {
    const moments = () => JSON.stringify(Object.entries(this.records).map(([id, { timestamp }]) => [id, timestamp]));
    const before = moments();
    this.load();
    if (moments() !== before) this.former = [];
  }

  /** Stores the touched records and these changes, after what another window stored. */
  save(changes = {}) {
    this.catchUp();
    this.storeTouched();
    if (Object.keys(changes).length === 0) return;
    const { unlocked, shortcuts, saved } = Object.assign(this, changes);
    storage.write(this.place, { unlocked, shortcuts, saved });
  }

  storeTouched() {
    for (const id of this.touched) storage.write(this.placeOf(id), this.records[id]);
    this.touched.clear();
  }

  isPractice(number) {
    return number < DATA.practice.length;
  }

  record(number) {
    return this.records[this.order[number].test_id] ?? blank();
  }

  answer(number, question) {
    const record = this.record(number);
    return question === "overall" ? record.overall : record.ratings[question];
  }

  /** Stores one answer. An answer that differs from the one before counts as an edit. */
  give(number, question, value) {
    this.catchUp();
    const before = this.answer(number, question);
    if (before === value) return;
    this.former.push({ number, question, before });
    this.put(number, question, value, before !== UNANSWERED);
  }

  /** Undoes the last answer and returns where that was, or null. */
  undo() {
    this.catchUp();
    const last = this.former.pop();
    if (!last) return null;
    this.put(last.number, last.question, last.before, true);
    return last;
  }

  put(number, question, value, isEdit) {
    const record = this.record(number);
    if (question === "overall") record.overall = value;
    else record.ratings = { ...record.ratings, [question]: value };
    if (isEdit) record.edits += 1;
    this.keep(number, record);
  }

  comment(number, text) {
    this.catchUp();
    if (text !== this.record(number).comments) this.keep(number, { ...this.record(number), comments: text });
  }

  /**
   * Stores a change with its moment, which is after that of the change before, also where the clock is behind it: but
   * not where that one is more than a day ahead, since it would be refused at collection.
   */
  keep(number, record) {
    const before = new Date(record.timestamp ?? 0).getTime();
    record.timestamp = new Date(Math.max(Date.now(), before < Date.now() + DAY_MS ? before + 1 : 0)).toISOString();
    this.replace(this.order[number].test_id, record);
    this.storeTouched();
  }

  /** Puts a record in the place of the one before: whatever else is stored of that one is older. */
  replace(id, record) {
    this.records[id] = { ...record, changes: (this.records[id]?.changes ?? 0) + 1 };
    this.touched.add(id);
  }

  spend(number, seconds) {
    const [id, record] = [this.order[number].test_id, this.record(number)];
    record.seconds += seconds;
    this.records[id] = record;
    this.touched.add(id);
  }

  unanswered(number) {
    return QUESTIONS.filter((question) => this.answer(number, question) === UNANSWERED);
  }

  isComplete(number) {
    return this.unanswered(number).length === 0;
  }

  /** Whether there is an answer or a comment. */
  isBegun(number) {
    return this.unanswered(number).length < QUESTIONS.length || this.record(number).comments !== "";
  }

  get numbers() {
    return [...this.order.keys()];
  }

  /** Whether there is no answer and no comment anywhere. */
  get isBlank() {
    return !this.numbers.some((number) => this.isBegun(number));
  }

  /** The numbers of the items that are begun and not finished. */
  get unfinished() {
    return this.numbers.filter((number) => this.isBegun(number) && !this.isComplete(number));
  }

  /** The first item that lacks an answer, or null when all are rated. */
  firstUnfinished() {
    const number = this.order.findIndex((_, each) => !this.isComplete(each));
    return number < 0 ? null : number;
  }

  /** The numbers of the real items that are rated. */
  get rated() {
    return this.numbers.filter((number) => !this.isPractice(number) && this.isComplete(number));
  }

  /** The numbers of the practice items that are done. */
  get practised() {
    return this.numbers.filter((number) => this.isPractice(number) && this.isComplete(number));
  }

  /** Seconds that the rest will take at the rater's own median pace; null before there is a pace. */
  secondsLeft() {
    const times = this.rated.map((number) => this.record(number).seconds).sort((a, b) => a - b);
    return times.length < 3 ? null : times[Math.floor(times.length / 2)] * (DATA.items.length - times.length);
  }
}
