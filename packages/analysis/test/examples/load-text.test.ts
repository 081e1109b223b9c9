import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { faultsOf, fileOf, loadText } from "./example-files.ts";
import { loadExamples } from "../../src/examples/load-examples.ts";

describe("JSON lines", () => {
  test("an example's own fields, over BOM, CRLF, empty lines and a last line without an end", async () => {
    const lines = [
      '\uFEFF{"id": "a", "prompt": "x\u2028y", "labels": {"truth": true, "topic": null}, "extra": {"n": 1}}',
      "",
      '{"prompt": [1, 2], "group": 7, "labels": {"truth": false, "topic": "t"}, "note": {"deep": [1]}}',
      "   ",
      '{"messages": [{"role": "user", "content": "Hi"}], "labels": {"truth": null, "topic": "u"}}',
    ];
    const examples = await loadText("own.jsonl", lines.join("\r\n"));
    expect(examples).toEqual([
      { id: "a", prompt: "x\u2028y", labels: { truth: true, topic: null }, extra: { n: 1, note: null } },
      { prompt: [1, 2], group: "7", labels: { truth: false, topic: "t" }, extra: { note: '{"deep":[1]}' } },
      {
        messages: [{ role: "user", content: "Hi" }],
        labels: { truth: null, topic: "u" },
        extra: { note: null },
      },
    ]);
  });

  test("faults name the line and the column, those of the JSON first", async () => {
    const broken = '{"prompt": "a", "label": 1}\n{"prompt": "b"\n\n[1]\n{"prompt": "c", "prompt": "d"}\n';
    const faults = await faultsOf(loadText("broken.jsonl", broken));
    expect(faults).toHaveLength(3);
    expect(faults[0]).toMatch(/^line 2 \| .* \| a JSON object, such as/);
    expect(faults[1]).toMatch(/^line 4 \| "\[1\]"/);
    expect(faults[2]).toMatch(/^line 5 \| .*each key once/);

    const odd = [
      '{"s": "a", "label": 1}',
      '{"s": "\\ud800", "label": "x"}',
      '{"label": 2}',
      '{"s": {"a": 1}, "label": 3}',
    ].join("\n");
    const columns = { columns: { prompt: "s" } };
    expect(await faultsOf(loadText("odd.jsonl", odd, columns))).toEqual([
      'line 3, column "s" | nothing | a prompt in every row',
      'line 4, column "s" | {"a":1} | a text, token ids or messages',
    ]);
    expect(await faultsOf(loadText("odd.jsonl", odd.split("\n").slice(0, 2).join("\n"), columns))).toEqual([
      expect.stringMatching(/^line 2, column "s" \| .*well-formed text/),
    ]);
    const mixed = '{"s": "a", "label": 1}\n{"s": "b", "label": "x"}';
    expect(await faultsOf(loadText("mixed.jsonl", mixed, columns))).toEqual([
      'line 2, column "label" | string | float64, as in line 1',
    ]);
  });

  test("twenty faults are named and the rest counted", async () => {
    const faults = await faultsOf(loadText("many.jsonl", "x\n".repeat(30)));
    expect(faults).toHaveLength(21);
    expect(faults[20]).toContain("10 more faults");
  });

  test("a label that a line does not name is a fault, a column that it does not name is null", async () => {
    const lines = '{"prompt": "a", "labels": {"x": 1}, "n": 1}\n{"prompt": "b", "labels": {}}';
    const faults = await faultsOf(loadText("labels.jsonl", lines));
    expect(faults).toEqual([
      "line 2 labels.x | nothing | the same labels in every example; null where there is no value",
    ]);
  });

  test("J3: digits survive wherever they stand, and a fraction is a number as ever", async () => {
    const line =
      '{"id": 12345678901234567890, "prompt": "9007199254740993", "label": 0.12345678901234567890, "n": [9007199254740993, 1e20, "9007199254740993\\""]}';
    const [example] = await loadText("digits.jsonl", line);
    expect(example).toEqual({
      id: "12345678901234567890",
      prompt: "9007199254740993",
      labels: { label: 0.12345678901234568 },
      extra: { n: '[9007199254740993,100000000000000000000,"9007199254740993\\""]' },
    });
  });

  test("J3: a type may make them numbers again, but not with other digits", async () => {
    const types = { types: { label: "float64" } } as const;
    const line = (label: string) => `{"prompt": "a", "label": ${label}}`;
    const [exact] = await loadText("exact.jsonl", line("9007199254740994"), types);
    expect(exact?.labels).toEqual({ label: 9007199254740994 });
    expect(await faultsOf(loadText("lossy.jsonl", line("9007199254740993"), types))).toEqual([
      'line 1, column "label" | 9007199254740993 | float64: a number that float64 holds, whole ones without losing digits',
    ]);
  });

  test("a line of a megabyte, over many reads", async () => {
    const long = "é🎉".repeat(300_000);
    const examples = await loadText("long.jsonl", `${JSON.stringify({ prompt: long })}\n{"prompt": "b"}\n`);
    expect(examples.map(({ prompt }) => prompt)).toEqual([long, "b"]);
  });

  test("any examples that JSON can write come back", async () => {
    const text = fc.string({ unit: "grapheme" });
    // Whole numbers beyond 2^53 become text.
    const number = fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((x) => !Number.isInteger(x) || Number.isSafeInteger(x));
    const line = fc.record({
      prompt: fc.oneof(text, fc.array(fc.nat(), { minLength: 1 })),
      labels: fc.record({ a: fc.boolean(), b: number }),
      extra: fc.record({ t: fc.option(text) }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), fc.boolean(), async (lines, crlf) => {
        const content = lines.map((one) => JSON.stringify(one)).join(crlf ? "\r\n" : "\n");
        const wanted = JSON.parse(JSON.stringify(lines)) as unknown;
        expect(await loadText("any.jsonl", content)).toEqual(wanted);
      }),
      { numRuns: 50 },
    );
  });
});

describe("numbers that float64 would make others, in CSV and JSON lines alike", () => {
  const texts = ["1e-400", "9007199254740993.0", "1e400", "9.007199254740993e15"];
  const files = (text: string) => [
    ["far.csv", `prompt,score,n\na,${text},1\nb,0.5,+2\n`],
    ["far.jsonl", `{"prompt":"a","score":${text},"n":1}\n{"prompt":"b","score":0.5,"n":2}\n`],
  ];

  test.each(texts)("%s: all of its column is text, or refused where a number is asked for", async (text) => {
    for (const [name = "", content = ""] of files(text)) {
      const examples = await loadText(name, content);
      expect(examples.map(({ extra }) => extra)).toEqual([
        { score: text, n: 1 },
        { score: "0.5", n: 2 },
      ]);
      const faults = await faultsOf(loadText(name, content, { types: { score: "float64" } }));
      expect(faults).toHaveLength(1);
      expect(faults[0]).toContain('column "score" | ');
      expect(faults[0]).toContain(`${text}`);
      expect(faults[0]).toContain("a number that float64 holds");
      const asId = await loadText(name, content, { columns: { id: "score" } });
      expect(asId.map(({ id }) => id)).toEqual([text, "0.5"]);
    }
  });

  test("inside a message they are refused, never sent as another", async () => {
    const message = `{"role":"assistant","content":"","tool_calls":[{"n":1e-400}]}`;
    const loading = loadText("far-message.jsonl", `{"messages":[${message}]}\n`);
    expect((await faultsOf(loading)).join()).toContain("line 1");
    const nested = await loadText("far-list.jsonl", `{"prompt":"a","x":{"n":[1e-400,1]}}\n`);
    expect(nested[0]?.extra).toEqual({ x: '{"n":[1e-400,1]}' });
  });
});

describe("CSV", () => {
  test("kinds of columns are told from all their cells", async () => {
    const csv = [
      "prompt,label,flag,zero,wide,mixed,empty",
      'a,1,True,007,9007199254740993,1,""',
      "b,-2.5e3,false,8,1,x,",
    ].join("\n");
    const examples = await loadText("kinds.csv", csv);
    expect(examples).toEqual([
      {
        prompt: "a",
        labels: { label: 1 },
        extra: { flag: true, zero: "007", wide: "9007199254740993", mixed: "1", empty: "" },
      },
      {
        prompt: "b",
        labels: { label: -2500 },
        extra: { flag: false, zero: "8", wide: "1", mixed: "x", empty: null },
      },
    ]);
  });

  test("types are those that are asked for, or a fault by line and column", async () => {
    const csv = "prompt,label,n\na,1,1\nb,0,yes\n";
    const [first] = await loadText("types.csv", csv, { types: { label: "bool", n: "utf8" } });
    expect(first).toMatchObject({ labels: { label: true }, extra: { n: "1" } });
    expect(await faultsOf(loadText("types.csv", csv, { types: { n: "bool" } }))).toEqual([
      'line 3, column "n" | "yes" | bool: true, false, 1 or 0',
    ]);
  });

  test("token ids and messages are JSON in a cell", async () => {
    const csv = 'token_ids,messages\n"[1, 2]",\n,"[{""role"": ""user"", ""content"": ""Hi""}]"\n';
    expect(await loadText("json.csv", csv)).toEqual([
      { prompt: [1, 2], labels: {}, extra: {} },
      { messages: [{ role: "user", content: "Hi" }], labels: {}, extra: {} },
    ]);
  });

  test("lines are counted over quoted line ends of every kind", async () => {
    const csv = 'prompt,label\r\n\r\n"a\r\nb",1\r\n"c\nd",2\r\ne,3,4\r\n"f\r\n\r\n",5\r\ng\r\n';
    expect(await faultsOf(loadText("ragged.csv", csv))).toEqual([
      "line 7 | 3 cells | 2, as in line 1",
      "line 11 | 1 cells | 2, as in line 1",
    ]);
  });

  test("tabs by the name's ending, other delimiters by option", async () => {
    const examples = [{ prompt: "a,b", labels: { label: 1 }, extra: {} }];
    expect(await loadText("tab.tsv", "prompt\tlabel\na,b\t1\n")).toEqual(examples);
    expect(await loadText("semi.csv", "prompt;label\na,b;1\n", { delimiter: ";" })).toEqual(examples);
  });

  test("token ids beyond 2^53, and what is no id, are named", async () => {
    const lines = (text: string) => faultsOf(loadText("ids.jsonl", text));
    const allowed = "well-formed text, or token ids, which are whole numbers from 0";
    expect(await lines('{"token_ids": [9007199254740993]}')).toEqual([
      `line 1 prompt | ["9007199254740993"] | ${allowed}`,
    ]);
    expect(await lines('{"token_ids": [1.5]}')).toEqual([`line 1 prompt | [1.5] | ${allowed}`]);
  });

  test("columns and labels with names that every object has", async () => {
    const lines = [
      '{"prompt": "a", "labels": {"toString": true}, "constructor": 1}',
      '{"prompt": "b", "labels": {"toString": false}}',
    ];
    const [first, second] = await loadText("names.jsonl", lines.join("\n"));
    expect(first).toEqual({ prompt: "a", labels: { toString: true }, extra: { constructor: 1 } });
    expect(second).toEqual({ prompt: "b", labels: { toString: false }, extra: { constructor: null } });
  });

  test.each([
    ["a quote that does not end", 'prompt\n"a', "Quote Not Closed"],
    ["bytes that are not UTF-8", Uint8Array.of(0x61, 0xff), "not UTF-8"],
    ["UTF-16", Uint8Array.of(0xff, 0xfe, 0x61, 0), "is UTF-16"],
    ["no row", "prompt,label\n", "holds no examples"],
    ["nothing", "", "holds no examples"],
  ])("refuses %s", async (_, content, words) => {
    await expect(loadText("refused.csv", content)).rejects.toMatchObject({
      code: "format_invalid",
      message: expect.stringContaining(words) as string,
    });
  });

  test("a column twice is refused", async () => {
    expect(await faultsOf(loadText("twice.csv", "prompt,a,a\nx,1,2\n"))).toEqual([
      'line 1 | the column "a" twice | each once',
    ]);
  });

  test("any table that is written by the rules comes back", async () => {
    const cell = fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r\n", "a", "é", " ", "🎉") });
    const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }),
        fc.constantFrom("\n", "\r\n"),
        async (rows, end) => {
          const lines = ["prompt,note", ...rows.map((row) => row.map(quoted).join(","))];
          const options = { types: { note: "utf8" } } as const;
          const examples = await loadText("any.csv", lines.join(end), options);
          expect(examples.map(({ prompt, extra }) => [prompt, extra?.["note"]])).toEqual(rows);
        },
      ),
      { numRuns: 50 },
    );
  });
});

test("the format is told by the ending, or asked for", async () => {
  expect(await faultsOf(loadText("what.txt", "x"))).toEqual([
    expect.stringContaining(
      'format | nothing, and the name ends in ".txt" | jsonl, csv, parquet, arrow, inspect',
    ),
  ]);
  const file = await fileOf("what.txt", '{"prompt": "a"}');
  expect(await loadExamples(file, { format: "jsonl" })).toHaveLength(1);
});
