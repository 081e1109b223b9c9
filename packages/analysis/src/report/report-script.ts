import { createHash } from "node:crypto";
import { Markup } from "../plots/html-markup.ts";

/**
 * What the page does with a script: sorts tables by a click or a key on a column's head, and searches their rows. Without it the page is whole.
 * It makes elements and sets texts, and never writes HTML.
 */
const script = `(() => {
"use strict";
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const told = document.getElementById("told");
const tables = all("main table, header table").filter((table) => table.tHead && table.tBodies[0]);

/* Sorting. */
const valueOf = (cell) => {
  const own = cell.dataset.v;
  if (own === undefined) return cell.textContent.trim();
  return own === "" ? null : Number(own);
};
const compare = (a, b) => {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
};
const sorted = (rows, column, sign) =>
  rows.map((row) => ({ row, value: valueOf(row.cells[column]) })).sort((a, b) => {
    if (a.value === null || b.value === null) return (a.value === null) - (b.value === null);
    return sign * compare(a.value, b.value);
  }).map(({ row }) => row);
for (const table of tables) {
  const body = table.tBodies[0];
  const first = [...body.rows];
  if (first.length < 2) continue;
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort");
      for (const other of heads) other.removeAttribute("aria-sort");
      const order = was === null ? "ascending" : was === "ascending" ? "descending" : null;
      if (order !== null) head.setAttribute("aria-sort", order);
      body.append(...(order === null ? first : sorted(first, column, order === "ascending" ? 1 : -1)));
      told.textContent = order === null ? "first order again" : "sorted by " + button.textContent.trim() + ", " + order;
    });
  });
}

/* Search. */
const find = document.getElementById("find");
const input = find.querySelector("input");
const found = find.querySelector("output");
const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
let texts;
const search = () => {
  const words = input.value.trim().toLowerCase().split(/\\s+/).filter(Boolean);
  texts ??= rows.map((row) => row.textContent.toLowerCase());
  let count = 0;
  rows.forEach((row, i) => {
    row.hidden = !words.every((word) => texts[i].includes(word));
    if (!row.hidden) count += 1;
  });
  for (const table of tables)
    table.classList.toggle("no-match", [...table.tBodies[0].rows].every((row) => row.hidden));
  found.textContent = words.length === 0 ? "" : count + " of " + rows.length + " rows";
};
find.hidden = rows.length === 0;
input.addEventListener("input", search);
input.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  input.value = "";
  search();
});
/* What is printed is whole. */
addEventListener("beforeprint", () => {
  for (const row of rows) row.hidden = false;
  for (const table of tables) table.classList.remove("no-match");
});
addEventListener("afterprint", search);

/* A box that does not scroll needs no stop of the Tab key. */
const stops = () => {
  for (const box of all(".scroll")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
};
stops();
addEventListener("resize", stops);
})();`;

/** The script with its tags. */
export const reportScript = new Markup(`<script>${script}</script>`);

/** What a content security policy allows it by. */
export const reportScriptHash = `sha256-${createHash("sha256").update(script).digest("base64")}`;
