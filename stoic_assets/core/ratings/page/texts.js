// What was written, as a reader needs it: code in letters of one width, tables in columns, all else as it was written.

const FENCE = /^\s*(`{3,})[^`]*$/;
const RULE = /^\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?$/;
const NOTHING = "Note of this page: nothing was written here, the text is empty.";

/** Shows a text. Where there is none, the page says so in words that nobody takes for the writer's. */
const showText = (id, text) => {
  byId(id).classList.toggle("silent", text === "");
  byId(id).replaceChildren(...(text === "" ? [element("p", NOTHING)] : partsOf(text)));
};

/** A text in parts: elements for code and tables, and strings for what is between them. */
const partsOf = (text) => {
  const lines = text.split("\n");
  const parts = [];
  let said = [];
  for (let number = 0; number < lines.length; ) {
    const block = codeAt(lines, number) ?? tableAt(lines, number);
    if (block) parts.push(between(said), block.element);
    if (block) said = [];
    else said.push(lines[number]);
    number = block ? block.next : number + 1;
  }
  return parts.length ? [...parts, between(said)] : [text];
};

/** Lines next to a block, which brings its own distance. */
const between = (lines) => lines.join("\n").replace(/^\n+|\n+$/g, "");

/** The code whose fence is at this line, without its fences; one that is not closed goes on to the end. */
const codeAt = (lines, start) => {
  const [, fence] = FENCE.exec(lines[start]) ?? [];
  if (!fence) return null;
  const closes = (line) => line.startsWith(fence) && line === "`".repeat(line.length);
  const end = lines.findIndex((line, number) => number > start && closes(line.trim()));
  const last = end < 0 ? lines.length : end;
  const made = document.createElement("pre");
  made.dir = "ltr";
  made.append(element("code", lines.slice(start + 1, last).join("\n")));
  return { element: made, next: last + 1 };
};

/** The table whose head is at this line, with a rule of dashes for as many columns below it. */
const tableAt = (lines, start) => {
  const rule = lines[start + 1]?.trim() ?? "";
  const isHead = lines[start].includes("|") && RULE.test(rule) && cells(lines[start]).length === cells(rule).length;
  if (!isHead) return null;
  const end = lines.findIndex((line, number) => number > start + 1 && !line.includes("|"));
  const next = end < 0 ? lines.length : end;
  const made = document.createElement("table");
  made.append(rowOf("th", lines[start]), ...lines.slice(start + 2, next).map((line) => rowOf("td", line)));
  return { element: scroller(made), next };
};

/** What holds a table: one that is wider than its text scrolls in it, from the side where the text begins. */
const scroller = (table) => {
  const made = document.createElement("div");
  made.className = "scroll";
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", "Table");
  made.append(table);
  reachable.observe(made);
  return made;
};

const rowOf = (kind, line) => {
  const row = document.createElement("tr");
  row.append(...cells(line).map((cell) => Object.assign(element(kind, cell), { dir: "auto" })));
  return row;
};

/** The cells of a line; a bar behind a backslash is text. No text of the page contains a zero byte. */
const cells = (line) => {
  const inner = line.trim().replaceAll("\\|", "\0").replace(/^\||\|$/g, "");
  return inner.split("|").map((cell) => cell.replaceAll("\0", "|").trim());
};
