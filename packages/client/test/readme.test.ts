import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { endpoints } from "../src/requests/endpoints/endpoints.ts";
import { requestTables } from "./request-tables.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8").replaceAll(/[ -]{2,}/g, " ");

const withFields = Object.values(endpoints)
  .flat()
  .filter(({ fields }) => Object.keys(fields).length > 0);

it.each(withFields)("the README has the tables of $profile $name", (endpoint) => {
  for (const table of requestTables(endpoint)) expect(readme).toContain(table.replaceAll(/[ -]{2,}/g, " "));
});
