// Ratings as a file: what goes out, and what comes in from another browser.

class FileProblem extends Error {}

/** Every complete rating, in the form that collection reads; anything beyond that form is under `meta`. */
const exported = (work) =>
  work.numbers.filter((number) => work.isComplete(number)).map((number) => {
    const record = work.record(number);
    const practice = work.isPractice(number);
    return {
      test_id: work.order[number].test_id,
      rater_id: work.rater,
      timestamp: record.timestamp,
      ratings: Object.fromEntries(DIMENSIONS.map((name) => [name, record.ratings[name]])),
      overall: record.overall,
      comments: record.comments,
      meta: {
        page_id: DATA.page_id,
        seconds: Math.round(record.seconds * 1000) / 1000,
        order_index: practice ? number : number - DATA.practice.length,
        practice,
        edits: record.edits,
      },
    };
  });

const fileText = (work) => JSON.stringify(exported(work), null, 2);

const fileName = (work) => `ratings-${work.rater}-${DATA.page_id}.json`;

const fileOf = (work) => new File([fileText(work)], fileName(work), { type: "application/json" });

/** The ratings in a file, each with its moment: when these are the same, nothing has changed. */
const contents = (work) => exported(work).map(({ test_id, timestamp }) => `${test_id} ${timestamp}`).join();

const noteSaved = (work) => {
  work.save({ saved: { name: fileName(work), at: new Date().toISOString(), contents: contents(work) } });
};

const isSaved = (work) => (work.saved?.contents ?? "") === contents(work);

/** Whether the saved file holds all of the work; it leaves out what is begun and not finished. */
const isInFile = (work) => isSaved(work) && work.unfinished.length === 0;

/** Whether the ratings are saved, in words. */
const savedState = (work) => {
  if (!work.saved) return "Not saved yet.";
  const when = new Date(work.saved.at).toLocaleString();
  return isSaved(work) ? `Saved as ${work.saved.name} (${when}).` : `Changed since you last saved (${when}): save again.`;
};

const saveFile = (work) => {
  const file = fileOf(work);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

const require = (condition, problem) => {
  if (!condition) throw new FileProblem(problem);
};

const isRecord = (entry) =>
  typeof entry?.test_id === "string" && typeof entry.rater_id === "string" && typeof entry.comments === "string" &&
  !Number.isNaN(Date.parse(entry.timestamp)) && isAnswer("overall", entry.overall) &&
  DIMENSIONS.every((name) => isAnswer(name, entry.ratings?.[name]));

const seconds = (meta) => (Number.isFinite(meta?.seconds) && meta.seconds >= 0 ? meta.seconds : 0);
const edits = (meta) => (Number.isInteger(meta?.edits) && meta.edits >= 0 ? meta.edits : 0);

/** The ratings of a saved file that belong to this page, with their rater. Throws a FileProblem. */
const readFile = (text) => {
  let entries;
  try {
    entries = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new FileProblem("This file was not saved by a rating page. Choose a file that you saved with “Save file”.");
  }
  require(Array.isArray(entries) && entries.length > 0, "There are no ratings in this file.");
  const wrong = entries.findIndex((entry) => !isRecord(entry));
  require(wrong < 0, `Rating ${wrong + 1} of this file is damaged. Save it again on the device it comes from.`);
  const raters = new Set(entries.map((entry) => entry.rater_id));
  require(raters.size === 1, "This file contains ratings of several people. Choose a file with yours alone.");
  const known = new Set([...DATA.practice, ...DATA.items].map((item) => item.test_id));
  const ours = entries.filter((entry) => known.has(entry.test_id));
  require(ours.length > 0, "This file is from another rating page. Ask the study lead for the right one.");
  return { rater: entries[0].rater_id, entries: ours };
};

/**
 * Takes over ratings that are newer than those on this page. What is not finished here is never newer: it may be no more
 * than a key pressed by mistake. Its comment stays where the file has none, and its time counts.
 * Returns how many ratings were taken, and how many were not since those here are newer.
 */
const takeIn = (work, entries) => {
  const count = { taken: 0, newerHere: 0 };
  work.catchUp();
  for (const { test_id, timestamp, ratings, overall, comments, meta } of entries) {
    const number = work.order.findIndex((item) => item.test_id === test_id);
    const isFinished = work.isComplete(number);
    const lead = isFinished ? Date.parse(work.record(number).timestamp) - Date.parse(timestamp) : -1;
    if (lead > 0) count.newerHere += 1;
    if (lead >= 0) continue;
    const left = isFinished ? blank() : work.record(number);
    work.replace(test_id, {
      ratings: Object.fromEntries(DIMENSIONS.map((name) => [name, ratings[name]])),
      overall,
      comments: comments || left.comments,
      seconds: seconds(meta) + left.seconds,
      edits: edits(meta),
      timestamp,
    });
    count.taken += 1;
  }
  work.former = [];
  work.save({ unlocked: work.unlocked || work.rated.length > 0 }); // whoever rated a reply is past the practice
  return count;
};
