import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkExamples } from "../../src/examples/example.ts";
import { fromTemplates, type TemplateOptions } from "../../src/examples/from-templates.ts";
import { parseTemplate } from "../../src/examples/template-text.ts";
import { faultsOf } from "./example-files.ts";

const faults = (options: TemplateOptions) => faultsOf(Promise.resolve().then(() => fromTemplates(options)));

test("every template with every value; the value is the group, its labels are carried", () => {
  const examples = fromTemplates({
    templates: ["{statement} True or false?", "Is it so that {statement} {{yes/no}} {n}"],
    values: [
      { statement: "Paris is in France.", n: 1, labels: { truth: true } },
      { id: "rome", statement: "Rome is {old}.", n: 2, labels: { truth: null }, split: "test" },
    ],
  });
  expect(examples).toEqual([
    {
      id: "0/0",
      group: "0",
      prompt: "Paris is in France. True or false?",
      labels: { truth: true },
      extra: { template: "0" },
    },
    {
      id: "0/1",
      group: "0",
      prompt: "Is it so that Paris is in France. {yes/no} 1",
      labels: { truth: true },
      extra: { template: "1" },
    },
    expect.objectContaining({
      id: "rome/0",
      group: "rome",
      prompt: "Rome is {old}. True or false?",
      split: "test",
    }),
    expect.objectContaining({ id: "rome/1", prompt: "Is it so that Rome is {old}. {yes/no} 2" }),
  ]);
  const groups = new Set(checkExamples(examples).examples.map(({ group }) => group));
  expect(groups.size).toBe(2);
});

test("templates may be named, and be conversations", () => {
  const [example] = fromTemplates({
    templates: {
      brief: [
        { role: "system", content: "Brief." },
        { role: "user", content: "{q}?" },
      ],
    },
    values: [{ q: "Why", extra: { source: "x" } }],
  });
  expect(example).toMatchObject({
    id: "0/brief",
    messages: [
      { role: "system", content: "Brief." },
      { role: "user", content: "Why?" },
    ],
    extra: { source: "x", template: "brief" },
  });
});

describe("refuses by name", () => {
  test.each<[string, TemplateOptions, string]>([
    [
      "a placeholder without a value",
      { templates: ["{a} {b}"], values: [{ a: "x", b: "y" }, { a: "x" }] },
      "values[1].b | nothing | a text or a number for {b}",
    ],
    [
      "a value without a placeholder",
      { templates: ["{a}"], values: [{ a: "x", truth: true }] },
      "values[0].truth | a value that no template uses | placeholders of the templates: {a}; what is carried along goes into extra",
    ],
    [
      "a template without placeholders",
      { templates: ["{a}", "b"], values: [{ a: "x" }] },
      "templates[1] | no placeholder, so every value makes the same prompt | a placeholder, such as {statement}",
    ],
    [
      "a single brace",
      { templates: ["{a} }"], values: [{ a: "x" }] },
      "templates[0] | a single } at character 4; {name} is a placeholder, }} is a brace | {name}, {{ and }}",
    ],
    [
      "a placeholder that is a field",
      { templates: ["{group} {a}"], values: [{ a: "x" }] },
      "templates | the placeholder {group}, which is a field of its own in a value | a name other than id, group, labels, split, extra",
    ],
    [
      "a value that is no text",
      { templates: ["{a}"], values: [{ a: [1] }] },
      "values[0].a | object | a text or a number for {a}",
    ],
    [
      "an id of two values",
      { templates: ["{a}"], values: [{ id: "1", a: "x" }, { a: "y" }] },
      'values[1].id | "1", also the id of values[0] | an id used once',
    ],
    [
      "an id that is no text",
      { templates: ["{a}"], values: [{ id: 1, a: "x" }] } as never,
      "values[0].id | 1 | a text",
    ],
    [
      "templates that are not there",
      { values: [] } as never,
      "templates | nothing | a list of templates (texts, or messages with role and content), or an object of them",
    ],
    [
      "a template that is none",
      { templates: { one: 7 }, values: [] } as never,
      'templates | {"one":7} | a list of templates (texts, or messages with role and content), or an object of them',
    ],
    ["values that are none", { templates: ["{a}"], values: [null] } as never, "values[0] | null | an object"],
  ])("%s", async (_, options, fault) => {
    expect(await faults(options)).toEqual([fault]);
  });
});

test("any text with its braces doubled is itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (text, value) => {
      const escaped = text.replaceAll("{", "{{").replaceAll("}", "}}");
      const [example] = fromTemplates({ templates: [`${escaped}{v}${escaped}`], values: [{ v: value }] });
      expect(example?.prompt).toBe(text + value + text);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("{", "}", "a", "1", " ") }), (text) => {
      const parts = parseTemplate(text);
      if (typeof parts === "string") {
        expect(parts).toContain("a single");
        return;
      }
      const again = parts.map((part) =>
        "name" in part ? `{${part.name}}` : part.text.replaceAll("{", "{{").replaceAll("}", "}}"),
      );
      expect(again.join("")).toBe(text);
    }),
  );
});
