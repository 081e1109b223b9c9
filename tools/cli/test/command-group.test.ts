import { expect, test } from "vitest";
import { createProgram } from "../src/program.ts";

const program = createProgram({ signal: new AbortController().signal });
const groups = program.commands.filter(({ commands }) => commands.length > 0);

test("there are groups", () => {
  expect(groups.map((group) => group.name())).toEqual(["dataset", "probe", "backend"]);
});

test.each(groups.map((group) => [group.name(), group] as const))(
  "the line of %s in --help names its commands",
  (_, group) => {
    const listed = /: ([a-z, -]+)\.$/.exec(group.description())?.[1]?.split(", ");
    expect(listed).toEqual(group.commands.map((command) => command.name()));
    for (const help of [program.helpInformation(), group.helpInformation()])
      expect(help.replace(/\s+/g, " ")).toContain(group.description());
  },
);

test("what install and remove call the variants is the same", () => {
  const backend = groups.find((group) => group.name() === "backend")!;
  const variants = backend.commands.map(({ options }) => options.find(({ long }) => long === "--variant"));
  expect(variants.map((option) => option?.argChoices)).toEqual([["cpu", "cuda"], undefined, ["cpu", "cuda"]]);
});
