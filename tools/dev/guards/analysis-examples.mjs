/** The guards of examples and conversations; see index.mjs. */
const chat = "packages/lens/src/chat";
const examples = "packages/analysis/src/examples";
const chatTest = "packages/lens/test/chat/encode-chat-with.test.ts";
const exactTest = "packages/analysis/test/examples/exact-json.test.ts";
const textTest = "packages/analysis/test/examples/load-text.test.ts";

export const analysisExamplesGuards = [
  {
    id: "C22-template",
    file: `${chat}/encode-chat-with.ts`,
    remove: "if (!isBos || first !== second) return;",
    insert: "return;",
    test: chatTest,
    name: "C22: a BOS of the tokenizer's own",
  },
  {
    id: "C22-server-ids",
    file: `${chat}/server-chat.ts`,
    remove:
      "if (own?.every((id, i) => id === again.ids[i]) && own.length === again.ids.length) return again;",
    insert: "return again;",
    test: "packages/lens/test/chat/server-chat.test.ts",
    name: "C22: a server that adds a BOS",
  },
  {
    id: "C30-whole",
    file: `${chat}/encode-chat-with.ts`,
    remove: "const encoded = await encoder.encode(text);",
    insert:
      "const halves = await Promise.all([text.slice(0, 9), text.slice(9)].map(async (half) => encoder.encode(half)));\n" +
      "  const encoded = { ids: halves.flatMap(({ ids }) => ids), names: halves.flatMap(({ names }) => names) };",
    test: chatTest,
    name: "C30: a conversation is tokenised whole",
  },
  {
    id: "chat-content",
    file: `${chat}/locate-contents.ts`,
    remove: "if (written !== undefined && forms.includes(written)) return { start, end };",
    insert: "if (written !== undefined) return { start, end };",
    test: chatTest,
    name: "reasoning that the template takes out",
  },
  {
    id: "chat-turn",
    file: `${chat}/find-turns.ts`,
    remove: "text.startsWith(end) && isBetween(end.length, search, i + 1)",
    insert: "text.startsWith(end)",
    test: chatTest,
    name: "a system text in a user's turn",
  },
  {
    id: "J3-digits",
    file: `${examples}/read/exact-json.ts`,
    remove: 'return isWhole.test(one) && !Number.isSafeInteger(Number(one)) ? `{"${mark}":"${one}"}` : one;',
    insert: "return one;",
    test: exactTest,
    name: "J3: any value with whole numbers",
  },
  {
    id: "J3-columns",
    file: `${examples}/column-values.ts`,
    remove: 'cells.some(isUnsafe) ? "digits" : undefined',
    insert: "undefined",
    test: "packages/analysis/test/examples/load-tables.test.ts",
    name: "J3: whole numbers beyond",
  },
  {
    id: "J3-types",
    file: `${examples}/column-values.ts`,
    remove: "return isUnsafe(cell) && BigInt(value) !== BigInt(cell) ? undefined : value;",
    insert: "return value;",
    test: textTest,
    name: "J3: a type may make them numbers again",
  },
  {
    id: "examples-keys",
    file: `${examples}/read/read-jsonl.ts`,
    remove: "return hasDuplicateKeys(text, value)",
    insert: "return false as boolean",
    test: textTest,
    name: "faults name the line and the column",
  },
  {
    id: "examples-cells",
    file: `${examples}/read/read-csv.ts`,
    remove: "if (record.length !== columns.length)",
    insert: "if (false as boolean)",
    test: textTest,
    name: "lines are counted over quoted line ends",
  },
  {
    id: "empty-turn",
    file: `${examples}/chat-selection.ts`,
    remove: "if (positions.length > 0) return positions;",
    insert: "if (positions.length >= 0) return positions;",
    test: "packages/analysis/test/examples/chat-selection.test.ts",
    name: "what is not there is refused",
  },
];
