import { type ChatMessage, InvalidRequestError, type RequestIssue } from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { promptFields } from "./contrast-pairs.ts";
import type { Example } from "./example.ts";
import type { ExampleValue } from "./example-columns.ts";
import { repeatedIds } from "./repeated-ids.ts";
import { sharedFields } from "./shared-fields.ts";
import { parseTemplate, type TemplatePart } from "./template-text.ts";

/** A text with placeholders (`{statement}`), or a conversation whose contents have them. `{{` and `}}` are braces. */
export type ExampleTemplate = string | readonly ChatMessage[];

/** What fills the placeholders, by their names, and what else the examples made of it have. */
export interface TemplateValue {
  /** Default: its index, as text. */
  id?: string;
  /** Default: the id, so that the templates of one value never part. */
  group?: string;
  labels?: Readonly<Record<string, ExampleValue>>;
  split?: string;
  extra?: Readonly<Record<string, ExampleValue>>;
  readonly [placeholder: string]: unknown;
}

export interface TemplateOptions {
  /** A list, or an object whose keys name them in ids and in the extra column `template`; a list's are 0, 1, … */
  templates: readonly ExampleTemplate[] | Readonly<Record<string, ExampleTemplate>>;
  values: readonly TemplateValue[];
}

const ownFields = Object.keys(sharedFields);

const template = z.union(
  [z.string(), z.array(z.looseObject({ role: z.string(), content: z.string() })).min(1)],
  "a text, or messages with role and content",
);
const optionsSchema = z.strictObject({
  templates: z.union(
    [z.array(template).min(1), z.record(z.string(), template)],
    "a list of templates (texts, or messages with role and content), or an object of them",
  ),
  values: z.array(z.looseObject(sharedFields)),
});

/**
 * Every template with every value, `VALUE/TEMPLATE`: values in order, and of each the templates in order. Throws InvalidRequestError
 * for a placeholder that a value lacks, a value that no template uses, a template that uses none, and an id of two values.
 */
export function fromTemplates(options: TemplateOptions): Example[] {
  checkOptions(optionsSchema, options, "fromTemplates options");
  const { templates, values } = options;
  const issues: RequestIssue[] = repeatedIds(
    values.map(({ id }, i) => id ?? String(i)),
    "values",
  );
  const parsed = Object.entries(templates).map(([name, template]) => ({
    name,
    template,
    texts: (typeof template === "string" ? [template] : template.map(({ content }) => content)).map(
      (text, i) => {
        const parts = parseTemplate(text);
        if (typeof parts !== "string") return parts;
        const field = `templates[${name}]${typeof template === "string" ? "" : `[${i}].content`}`;
        issues.push({ field, given: parts, allowed: "{name}, {{ and }}" });
        return [];
      },
    ),
  }));
  const used = new Map(parsed.map(({ name, texts }) => [name, namesOf(texts.flat())]));
  if (issues.length === 0) issues.push(...misfits(used, values));
  if (issues.length > 0) throw new InvalidRequestError(issues.slice(0, 20), "templates");
  return values.flatMap((value, i) => {
    const { id = String(i), group = id, labels, split, extra } = value;
    return parsed.map(({ name, template, texts }): Example => {
      const filled = texts.map((parts) => fill(parts, value));
      const chat = (message: ChatMessage, k: number): ChatMessage => ({
        ...message,
        content: filled[k] ?? "",
      });
      return {
        ...promptFields(typeof template === "string" ? (filled[0] ?? "") : template.map(chat)),
        id: `${id}/${name}`,
        group,
        labels: { ...labels },
        ...(split !== undefined && { split }),
        extra: { ...extra, template: name },
      };
    });
  });
}

function namesOf(parts: readonly TemplatePart[]): Set<string> {
  return new Set(parts.flatMap((part) => ("name" in part ? [part.name] : [])));
}

function fill(parts: readonly TemplatePart[], value: TemplateValue): string {
  return parts.map((part) => ("name" in part ? String(value[part.name]) : part.text)).join("");
}

function misfits(used: ReadonlyMap<string, Set<string>>, values: readonly TemplateValue[]): RequestIssue[] {
  const all = new Set([...used.values()].flatMap((names) => [...names]));
  const placeholders = [...all].map((name) => `{${name}}`).join(", ") || "none";
  const empty = [...used].filter(([, names]) => names.size === 0);
  const own = [...all].filter((name) => ownFields.includes(name));
  return [
    ...empty.map(([name]) => ({
      field: `templates[${name}]`,
      given: "no placeholder, so every value makes the same prompt",
      allowed: "a placeholder, such as {statement}",
    })),
    ...own.map((name) => ({
      field: "templates",
      given: `the placeholder {${name}}, which is a field of its own in a value`,
      allowed: `a name other than ${ownFields.join(", ")}`,
    })),
    ...values.flatMap((value, i) => [
      ...[...all]
        .filter((name) => !own.includes(name) && !["string", "number"].includes(typeof value[name]))
        .map((name) => ({
          field: `values[${i}].${name}`,
          given: Object.hasOwn(value, name) ? typeof value[name] : "nothing",
          allowed: `a text or a number for {${name}}`,
        })),
      ...Object.keys(value)
        .filter((name) => !all.has(name) && !ownFields.includes(name))
        .map((name) => ({
          field: `values[${i}].${name}`,
          given: "a value that no template uses",
          allowed: `placeholders of the templates: ${placeholders}; what is carried along goes into extra`,
        })),
      ...(Object.hasOwn(value.extra ?? {}, "template")
        ? [
            {
              field: `values[${i}].extra.template`,
              given: "a column of this name",
              allowed: "another name: it says which template an example is of",
            },
          ]
        : []),
    ]),
  ];
}
