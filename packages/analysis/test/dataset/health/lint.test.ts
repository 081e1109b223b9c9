import { describe, expect, test } from "vitest";
import { createRandom } from "../../../src/statistics/random.ts";
import { describe as describeRows } from "../../../src/dataset/health/describe.ts";
import { lint, type LintOptions } from "../../../src/dataset/health/lint.ts";
import {
  datasetLintSchema,
  type DatasetLint,
  type LintCode,
} from "../../../src/dataset/health/lint-schema.ts";
import type { ColumnValue } from "../../../src/shards/column-field.ts";
import type { RowNumbers } from "../../../src/shards/row-dtype.ts";
import { tableSource } from "./table-source.ts";

interface Row {
  group: string;
  truth: boolean | null;
  text: string;
  token_ids: number[];
  prompt_length: number;
  split: string;
  position: number;
}

const names = [
  "Lima",
  "Oslo",
  "Quito",
  "Bern",
  "Accra",
  "Dakar",
  "Lagos",
  "Tunis",
  "Minsk",
  "Delhi",
  "Tokyo",
  "Seoul",
];

/** The same words in two orders. */
function statement(pair: number, isTrue: boolean): string {
  const cities = [names[pair % 12]!, names[(pair + 1 + (pair >> 2)) % 12]!];
  const [a, b] = isTrue ? cities : cities.toReversed();
  return `${a}, number ${pair}, is older than ${b}, they say.`;
}

/** Thirty pairs of a true and a false statement, each pair a group: nothing wrong with them. `change` plants a fault. */
function pairs(change: (row: Row, i: number) => Partial<Row> & Record<string, ColumnValue> = () => ({})) {
  const rows = Array.from({ length: 60 }, (_, i) => {
    const pair = i >> 1;
    const length = 7 + (pair % 4);
    const row: Row = {
      group: `g${pair}`,
      truth: i % 2 === 0,
      text: statement(pair, i % 2 === 0),
      token_ids: [
        1,
        100 + pair,
        ...Array.from({ length: length - 4 }, (_, k) => 30 + k),
        200 + ((i + (pair >> 1)) % 2),
        9,
        500,
      ],
      prompt_length: length,
      split: pair < 20 ? "train" : "test",
      position: length - 1,
    };
    return { example: `e${i}`, token_id: 9, ...row, ...change(row, i) };
  });
  const keys = Object.keys(rows[0]!);
  return Object.fromEntries(
    keys.map((key) => [key, rows.map((row) => (row as Record<string, ColumnValue>)[key] ?? null)]),
  );
}

async function lintOf(
  columns: Record<string, ColumnValue[]>,
  { numbers, ...options }: LintOptions & { numbers?: RowNumbers } = {},
): Promise<DatasetLint> {
  const source = tableSource({ columns, ...(numbers && { layers: new Map([[0, numbers]]) }) });
  const found = await lint(source, options);
  expect(datasetLintSchema.parse(JSON.parse(JSON.stringify(found)))).toEqual(found);
  return found;
}

const codes = ({ findings }: DatasetLint): LintCode[] => findings.map(({ code }) => code);

test("clean pairs give no finding, and every check looked", async () => {
  const found = await lintOf(pairs());
  expect(found.findings).toEqual([]);
  expect(found.notChecked).toEqual([]);
});

describe("each fault is found, and nothing else", () => {
  test("length skew", async () => {
    const longer = (by: number[], when: (row: Row, i: number) => boolean) =>
      lintOf(
        pairs((row, i) =>
          when(row, i)
            ? {
                prompt_length: row.prompt_length + by.length,
                token_ids: row.token_ids.toSpliced(1, 0, ...by),
              }
            : {},
        ),
      );
    const found = await longer([30, 31], ({ truth }) => truth === true);
    expect(codes(found)).toEqual(["length_skew"]);
    expect(found.findings[0]).toMatchObject({
      severity: "error",
      label: "truth",
      numbers: { positives: 30, negatives: 30, mean_tokens: 313 / 30, mean_tokens_others: 253 / 30 },
    });
    const slight = await longer([30], ({ truth }, i) => truth === true && i % 8 === 0);
    expect(slight.findings).toEqual([]);
  });

  test("length skew in characters where texts alone are filled; where no length could tell, it is said", async () => {
    const unfilled = { prompt_length: null, token_ids: null, token_id: null } as unknown as Pick<
      Row,
      "prompt_length" | "token_ids"
    >;
    const found = await lintOf(
      pairs(({ truth, text }, i) => ({
        ...unfilled,
        text: truth ? `${text} ${"so ".repeat(3 + (i % 4))}it is` : text,
      })),
    );
    expect(codes(found)).toContain("length_skew");
    expect(found.findings.find(({ code }) => code === "length_skew")?.numbers).toMatchObject({
      mean_characters: expect.any(Number) as number,
      positives: 30,
    });
    const reasonOf = ({ notChecked }: DatasetLint) =>
      notChecked.find(({ code, label }) => code === "length_skew" && label === "truth")?.reason;
    const rare = await lintOf(pairs((_, i) => ({ truth: i > 1 })));
    expect(reasonOf(rare)).toBe("too few examples with a length to tell truth = true from the others");
    const one = await lintOf(pairs(({ truth }) => (truth ? {} : { ...unfilled, text: null as never })));
    expect(reasonOf(one)).toMatch(/^too few examples with a length/);
    const values = await lintOf(
      pairs((_, i) => ({ truth: null, kind: i < 2 ? "c" : i % 2 ? "a" : "b" })),
      {
        labels: ["kind"],
      },
    );
    expect(values.notChecked.map(({ reason }) => reason)).toContain(
      'too few examples with a length to tell kind = "c" from the others; nothing was found of the others',
    );
  });

  test("texts in several groups and splits", async () => {
    const found = await lintOf(pairs((_, i) => (i === 50 || i === 2 ? { text: "The same text." } : {})));
    expect(codes(found)).toEqual(["duplicate_text_groups", "duplicate_text_splits"]);
    expect(found.findings[0]!.numbers).toMatchObject({ texts: 1, examples: 2 });
    const inGroup = await lintOf(pairs((_, i) => (i === 2 || i === 3 ? { text: "The same text." } : {})));
    expect(inGroup.findings).toEqual([]);
    const inSplit = await lintOf(pairs((_, i) => (i === 2 || i === 4 ? { text: "The same text." } : {})));
    expect(codes(inSplit)).toEqual(["duplicate_text_groups"]);
  });

  test("a last token that tells the label", async () => {
    const found = await lintOf(
      pairs(({ truth, token_ids, prompt_length }) => ({
        token_ids: token_ids.map((id, k) => (k === prompt_length - 1 ? (truth ? 11 : 12) : id)),
      })),
    );
    expect(codes(found)).toEqual(["label_is_token"]);
    expect(found.findings[0]).toMatchObject({
      severity: "error",
      numbers: { accuracy: 1, base: 0.5, tokens: 2 },
    });
    // A token of its own in each group tells nothing about other groups.
    const own = await lintOf(
      pairs(({ token_ids, prompt_length }, i) => ({
        token_ids: token_ids.map((id, k) => (k === prompt_length - 1 ? 700 + i : id)),
      })),
    );
    expect(own.findings).toEqual([]);
    expect(own.notChecked.map(({ code }) => code)).not.toContain("label_is_token");
  });

  describe("a token that tells a label of any share, in few groups or many", () => {
    /** Groups of four examples; the value of each by its number. `token` gives the prompt's last token. */
    const labelled = <T extends ColumnValue>(
      groups: number,
      valueOf: (i: number) => T,
      token: (value: T, i: number) => number,
    ) => {
      const at = Array.from({ length: 4 * groups }, (_, i) => i);
      return lintOf(
        {
          example: at.map((i) => `e${i}`),
          group: at.map((i) => `g${i >> 2}`),
          truth: at.map(valueOf),
          token_ids: at.map((i) => [1, 100 + i, token(valueOf(i), i)]),
        },
        { labels: ["truth"] },
      );
    };
    const ofTokens = ({ findings, notChecked }: DatasetLint) =>
      findings.filter(({ code }) => code === "label_is_token").map(({ severity }) => severity)[0] ??
      notChecked.find(({ code }) => code === "label_is_token")?.reason ??
      "clean";

    test.each<[string, number, (i: number) => ColumnValue]>([
      ["5 in a hundred are false", 100, (i) => i % 20 !== 0],
      ["2 in a hundred are false", 100, (i) => i % 50 !== 0],
      ["half are false, in 14 groups", 14, (i) => i % 2 === 0],
      ["half of 20 groups are false", 20, (i) => (i >> 2) % 2 === 0],
      ["five values", 30, (i) => `v${i % 5}`],
    ])("%s", async (_, groups, valueOf) => {
      const values = [...new Set(Array.from({ length: 400 }, (__, i) => valueOf(i)))];
      const found = await labelled(groups, valueOf, (value) => 50 + values.indexOf(value));
      expect(ofTokens(found)).toBe("error");
      const { numbers } = found.findings.find(({ code }) => code === "label_is_token")!;
      expect(numbers).toMatchObject({ accuracy: 1, groups, chanceThreshold: 0.001 });
      expect(numbers["chance"]).toBeLessThan(0.001);
      expect(ofTokens(await labelled(groups, valueOf, () => 50))).toBe("clean");
    });

    test("groups that cannot show it are named as too few", async () => {
      const told = await labelled(6, (i) => i % 2 === 0, Number);
      expect(ofTokens(told)).toMatch(/^the prompt's last token: .* 100\.0 %.* which 6 groups cannot tell/);
      const untold = await labelled(
        6,
        (i) => i % 2 === 0,
        () => 50,
      );
      expect(ofTokens(untold)).toMatch(/: 6 groups with this share of truth are too few/);
      const rare = await labelled(100, (i) => i > 7, Number);
      expect(ofTokens(rare)).toMatch(/which 100 groups cannot tell from chance$/);
      const known = await labelled(30, (i) => (i < 60 ? true : null), Number);
      expect(ofTokens(known)).toBe("label truth has 1 value");
    });

    test.each<[string, number, number, (draw: () => number) => (i: number) => boolean]>([
      ["labels of examples", 30, 3, (draw) => () => draw() < 0.5],
      ["rare labels of examples", 100, 2, (draw) => () => draw() < 0.05],
      [
        "labels of groups",
        40,
        15,
        (draw) => {
          const own = Array.from({ length: 40 }, () => draw() < 0.3);
          return (i) => own[i >> 2]!;
        },
      ],
    ])("random %s raise no alarm", async (name, groups, tokens, make) => {
      for (let seed = 0; seed < 12; seed++) {
        const random = createRandom(seed, name);
        const valueOf = make(() => random.uniform());
        const values = Array.from({ length: 4 * groups }, (_, i) => valueOf(i));
        const ofGroup = Array.from({ length: groups }, () => random.below(tokens));
        const found = await labelled(
          groups,
          (i) => values[i]!,
          (_, i) => ofGroup[i >> 2]!,
        );
        expect(ofTokens(found)).not.toMatch(/error|warning/);
      }
    });
  });

  test("a row's token that tells the label", async () => {
    const found = await lintOf(pairs(({ truth }) => ({ token_id: truth ? 11 : 12 })));
    expect(codes(found)).toEqual(["label_is_token"]);
    expect(found.findings[0]!.what).toMatch(/^the row's token tells truth/);
  });

  describe("a word anywhere that tells the label", () => {
    const inside = (text: string, word: string): string => text.replace(" is", ` ${word} is`);
    const planted = (has: (truth: boolean, pair: number) => boolean, change: object = {}) =>
      pairs(({ truth, text }, i) => ({
        text: has(truth === true, i >> 1) ? inside(text, "Not") : text,
        ...change,
      }));

    test("of all of a class and none of the others", async () => {
      const found = await lintOf(planted((truth) => !truth));
      expect(codes(found)).toEqual(["word_tells_label"]);
      expect(found.findings[0]).toMatchObject({
        severity: "error",
        label: "truth",
        what: 'the word "not" is in 30 of the 30 prompts with truth = false, and in 0 of the 30 others',
        numbers: { share: 1, shareOfOthers: 0, texts: 30, others: 30, words: 1 },
      });
    });

    test("of nearly all and nearly none; of fewer it is none", async () => {
      const nearly = await lintOf(planted((truth, pair) => (pair === 3 ? truth : !truth)));
      expect(nearly.findings).toMatchObject([
        { code: "word_tells_label", severity: "warning", numbers: { share: 29 / 30, shareOfOthers: 1 / 30 } },
      ]);
      expect((await lintOf(planted((truth, pair) => (pair < 2 ? truth : !truth)))).findings).toEqual([]);
      expect((await lintOf(planted((truth, pair) => !truth || pair < 2))).findings).toEqual([]);
    });

    test("a token of the prompt, by its id and its text; not one that was generated", async () => {
      const withToken = (at: "prompt" | "generated") =>
        pairs(({ truth, token_ids, prompt_length }, i) => ({
          token_ids: token_ids.toSpliced(at === "prompt" ? 2 : prompt_length, 1, truth ? 900 : 50 + (i >> 1)),
          token_id: i === 7 ? 900 : 9,
          token: i === 7 ? " not" : " so",
        }));
      const found = await lintOf(withToken("prompt"));
      expect(found.findings).toMatchObject([
        {
          code: "word_tells_label",
          what: expect.stringMatching(/^the token 900 " not" is in 30 of/) as string,
        },
      ]);
      expect(found.findings[0]!.numbers).toMatchObject({ tokenId: 900 });
      expect((await lintOf(withToken("generated"))).findings).toEqual([]);
    });

    test("with too few groups it is not looked for", async () => {
      const columns = planted((truth) => !truth);
      const few = await lintOf({ ...columns, group: columns["group"]!.map((_, i) => `g${(i >> 1) % 9}`) });
      expect(codes(few)).toEqual(["few_groups"]);
      expect(few.notChecked).toContainEqual({
        code: "word_tells_label",
        label: "truth",
        reason: "fewer than 10 groups with a value, or with the others",
      });
    });

    test("where a template or a last token tells the label already, it is said", async () => {
      const found = await lintOf(pairs(({ truth, text }) => ({ text: truth ? `Yes: ${text}` : text })));
      expect(found.notChecked).toMatchObject([
        {
          code: "word_tells_label",
          label: "truth",
          reason: expect.stringMatching(/^uniform_texts tells it/) as string,
        },
      ]);
    });

    test("random labels raise no alarm, of groups or of examples", async () => {
      const draws = createRandom(7);
      const random = (): number => draws.uniform();
      for (let trial = 0; trial < 60; trial++) {
        const ofGroup = Array.from({ length: 30 }, () => random() < 0.5);
        const columns = pairs((_, i) => ({
          truth: trial % 2 ? ofGroup[i >> 1]! : random() < 0.5,
          text: Array.from({ length: 12 }, () => `w${Math.floor(random() * 40)}`).join(" "),
        }));
        expect(codes(await lintOf(columns))).not.toContain("word_tells_label");
      }
    });
  });

  test("groups of one label each, when all are", async () => {
    const ofOne = (_: Row, i: number) => ({ truth: (i >> 1) % 8 < 4 });
    const found = await lintOf(pairs(ofOne));
    expect(codes(found)).toEqual(["one_class_groups"]);
    expect(found.findings[0]!.numbers["chance"]).toBeCloseTo(((16 / 30) ** 2 + (14 / 30) ** 2) ** 30, 15);
    const oneMixed = await lintOf(pairs((row, i) => (i < 2 ? {} : ofOne(row, i))));
    expect(oneMixed.findings).toEqual([]);
    const few = await lintOf(pairs((_, i) => ({ truth: i < 8 ? i < 4 : null })));
    expect(few.notChecked.find(({ code }) => code === "one_class_groups")?.reason).toBe(
      "all 4 groups have one value of truth each, which chance does once in 16",
    );
  });

  test("texts of a class with a beginning or an end of their own", async () => {
    const begun = await lintOf(pairs(({ truth, text }) => ({ text: truth ? `Yes: ${text}` : text })));
    expect(codes(begun)).toEqual(["uniform_texts"]);
    expect(begun.findings[0]).toMatchObject({
      severity: "error",
      numbers: { texts: 30, others: 0, characters: 5 },
    });
    const ended = await lintOf(pairs(({ truth, text }) => ({ text: truth ? text : `${text} Not!` })));
    expect(ended.findings[0]!.what).toContain('truth = false end with ", they say. Not!"');
    const both = await lintOf(pairs(({ text }, i) => ({ text: i % 5 ? `Yes: ${text}` : text })));
    expect(both.findings).toEqual([]);
    for (const [change, where] of [
      [(text: string) => ` ${text}`, 'begin with " "'],
      [(text: string) => `${text}\n`, String.raw`end with ", they say.\n"`],
    ] as const) {
      const white = await lintOf(pairs(({ truth, text }) => ({ text: truth ? change(text) : text })));
      expect(codes(white)).toEqual(["uniform_texts"]);
      expect(white.findings[0]!.what).toContain(where);
    }
    const halves = await lintOf(
      pairs(({ truth, text }, i) => ({ text: truth ? `${String.fromCodePoint(0x1f600 + i)}${text}` : text })),
    );
    expect(codes(halves)).not.toContain("uniform_texts");
    const rare = await lintOf(
      pairs((_, i) => ({ truth: i > 16 && i % 2 === 0, kind: i < 4 ? "c" : i % 2 ? "a" : "b" })),
    );
    expect(
      rare.notChecked.find(({ code, label }) => code === "uniform_texts" && label === "kind")?.reason,
    ).toBe(
      'too few texts (fewer than 10 of a value, or of the others) to tell kind = "c" from the others; nothing was found of the others',
    );
  });

  const rows = Float32Array.from({ length: 180 }, (_, i) => Math.sin(i * 1.7));

  test("numbers that are not finite", async () => {
    const numbers = rows.with(5, Number.NaN).with(100, Number.POSITIVE_INFINITY);
    const found = await lintOf(pairs(), { numbers });
    expect(codes(found)).toEqual(["non_finite"]);
    expect(found.findings[0]).toMatchObject({ severity: "error", numbers: { rows: 2, nan: 1, infinite: 1 } });
  });

  test("dimensions of one value, and rows that are all equal", async () => {
    const one = rows.map((value, i) => (i % 3 === 1 ? 0.5 : value));
    expect((await lintOf(pairs(), { numbers: one })).findings).toMatchObject([
      { code: "constant_dimensions", severity: "warning", numbers: { count: 1, hiddenSize: 3 } },
    ]);
    const all = await lintOf(pairs(), { numbers: new Float32Array(180).fill(2) });
    expect(codes(all)).toEqual(["constant_dimensions", "repeated_rows"]);
    expect(all.findings[0]!.severity).toBe("error");
    const columns = Object.fromEntries(
      Object.entries(pairs()).map(([name, values]) => [name, values.slice(0, 1)]),
    );
    const single = await lintOf(columns);
    expect(codes(single)).toEqual(["few_groups"]);
    expect(single.notChecked).toMatchObject([
      {},
      {},
      {},
      {},
      {},
      { code: "bos_rows" },
      { code: "constant_dimensions", reason: "no layer has two finite rows" },
      { code: "repeated_rows", reason: "1 rows of 1 layers" },
    ]);
    const none = await lint(tableSource({ columns: pairs(), layers: new Map() }));
    expect(none.findings).toEqual([]);
    expect(none.notChecked.map(({ code }) => code)).toEqual([
      "non_finite",
      "constant_dimensions",
      "repeated_rows",
    ]);
  });

  test("repeated rows", async () => {
    const found = await lintOf(pairs(), {
      numbers: rows.map((value, i) => (i >= 150 ? rows[i - 150]! : value)),
    });
    expect(found.findings).toMatchObject([{ code: "repeated_rows", numbers: { rows: 10 } }]);
  });

  test("rows at the beginning-of-text token", async () => {
    const some = await lintOf(pairs((_, i) => (i < 6 ? { token_id: 1, position: 0 } : {})));
    expect(some.findings).toMatchObject([
      { code: "bos_rows", severity: "warning", numbers: { rows: 6, share: 0.1 } },
    ]);
    const all = await lintOf(pairs(() => ({ token_id: 1, position: 0 })));
    expect(all.findings).toMatchObject([{ code: "bos_rows", severity: "error" }]);
  });

  test("few groups, and fewer than folds", async () => {
    const few = (count: number) => lintOf(pairs((_, i) => ({ group: `g${(i >> 1) % count}` })));
    expect((await few(19)).findings).toMatchObject([{ code: "few_groups", severity: "warning" }]);
    expect((await few(4)).findings).toMatchObject([
      { code: "few_groups", severity: "error", numbers: { groups: 4 } },
    ]);
    expect((await few(20)).findings).toEqual([]);
  });

  test("no group was given", async () => {
    const found = await lintOf(pairs((_, i) => ({ group: `e${i}` })));
    expect(found.findings).toMatchObject([{ code: "missing_group", numbers: { rows: 60, examples: 60 } }]);
  });
});

test("what cannot be looked at is said, with its reason", async () => {
  const { text: _t, token_ids: _i, prompt_length: _p, token_id: _k, split: _s, ...rest } = pairs();
  const found = await lintOf({ ...rest, kind: Array.from({ length: 60 }, () => "one") });
  expect(found.findings).toEqual([]);
  expect(new Map(found.notChecked.map(({ code, label, reason }) => [`${code} ${label}`, reason]))).toEqual(
    new Map([
      ["length_skew truth", "no example has a prompt_length, token_ids or text"],
      ["label_is_token truth", "no row has a token_id, no example token_ids"],
      ["uniform_texts truth", "no column text"],
      ["word_tells_label truth", "no column text or token_ids"],
      ["length_skew kind", "label kind has 1 value"],
      ["label_is_token kind", "label kind has 1 value"],
      ["uniform_texts kind", "label kind has 1 value"],
      ["word_tells_label kind", "label kind has 1 value"],
      ["one_class_groups kind", "label kind has 1 value"],
      ["duplicate_text_groups null", "no example has a text or token_ids"],
      ["duplicate_text_splits null", "no example has a text or token_ids"],
      ["bos_rows null", "no example tells its first token"],
    ]),
  );
});

test("a description is handed in; one of other rows is refused", async () => {
  const columns = pairs();
  const source = tableSource({ columns });
  expect(await lint(source, { description: await describeRows(source) })).toEqual(await lint(source));
  const fewer = Object.entries(columns).map(([name, values]) => [name, values.slice(1)] as const);
  const description = await describeRows(tableSource({ columns: Object.fromEntries(fewer) }));
  await expect(lint(source, { description })).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(
      /description: of 59 rows .* what describe says of these 60 rows/,
    ) as string,
  });
});

test("labels can be named; an unknown label is refused", async () => {
  const columns = pairs((row, i) => ({
    parity: row.truth === true ? "even" : "odd",
    other: (i >> 1) % 8 < 4,
  }));
  expect((await lintOf(columns, { labels: ["truth"] })).labels).toEqual(["truth"]);
  expect(codes(await lintOf(columns))).toEqual(["one_class_groups"]);
  await expect(lintOf(columns, { labels: ["nope"] })).rejects.toMatchObject({ code: "no_such_column" });
});
