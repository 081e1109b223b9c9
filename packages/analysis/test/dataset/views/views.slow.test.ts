import fc from "fast-check";
import { expect, test } from "vitest";
import type { RowSource } from "../../../src/dataset/row-source.ts";
import { viewOf, type DatasetView, type PendingView } from "../../../src/dataset/views/view-methods.ts";
import { writeDataset } from "../../../src/dataset/write-dataset.ts";
import { rowDtypes } from "../../../src/shards/row-dtype.ts";
import { freshFolder } from "../../collect/collect-helpers.ts";
import { memorySource } from "../memory-source.ts";
import { expectRows, plainRows, type PlainRows } from "./plain-rows.ts";

/** One step, on a view and on plain rows. */
interface Step {
  words: string;
  view: (view: DatasetView, other: RowSource) => PendingView;
  plain: (rows: PlainRows, other: PlainRows) => PlainRows;
}

const keep = (
  rows: PlainRows,
  test: (values: PlainRows["rows"][number]["values"]) => boolean,
): PlainRows => ({
  ...rows,
  rows: rows.rows.filter(({ values }) => test(values)),
});

const has = ({ fields }: Pick<RowSource, "fields">, name: string): boolean =>
  fields.some((field) => field.name === name);

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc
    .constantFrom<[string, string | null]>(["group", "g1"], ["split", "train"], ["split", null])
    .map(([column, value]): Step => ({
      words: `filter ${column} = ${value}`,
      view: (view) => view.filter(has(view, column) ? { [column]: value } : { example: "e2" }),
      plain: (rows) =>
        keep(rows, (values) => (has(rows, column) ? values[column] === value : values["example"] === "e2")),
    })),
  fc.uniqueArray(fc.nat(3), { minLength: 1 }).map((lengths): Step => ({
    words: `filter prompt_length in ${lengths.join()}`,
    view: (view) =>
      view.filter(has(view, "prompt_length") ? { prompt_length: lengths } : { group: ["g0", "g2"] }),
    plain: (rows) =>
      keep(rows, (values) =>
        has(rows, "prompt_length")
          ? lengths.includes(values["prompt_length"] as number)
          : values["group"] !== "g1",
      ),
  })),
  fc.integer({ min: 2, max: 4 }).map((k): Step => ({
    words: `filter by a function, ${k}`,
    view: (view) => view.filter(["example", "group"], (row) => String(row["example"]).length % k !== 0),
    plain: (rows) => keep(rows, (values) => String(values["example"]).length % k !== 0),
  })),
  fc.integer({ min: 0, max: 3 }).map((k): Step => ({
    words: `filter position % 4 != ${k}`,
    view: (view) =>
      has(view, "position")
        ? view.filter(["position"], ({ position }) => (position as number) % 4 !== k)
        : view.take(view.rows),
    plain: (rows) => (has(rows, "position") ? keep(rows, (v) => (v["position"] as number) % 4 !== k) : rows),
  })),
  fc
    .subarray(["split", "truth", "position", "text", "token_ids", "prompt_length", "score"])
    .map((columns): Step => ({
      words: `select without ${columns.join()}`,
      view: (view) =>
        view.select({
          columns: view.columns.filter((name) => !columns.includes(name)),
          layers: view.layers.slice(-1),
        }),
      plain: (rows) => ({
        fields: rows.fields.filter(({ name }) => !columns.includes(name)),
        layers: rows.layers.slice(-1),
        rows: rows.rows.map((row) => ({
          ...row,
          values: Object.fromEntries(Object.entries(row.values).filter(([name]) => !columns.includes(name))),
        })),
      }),
    })),
  fc.nat(30).map((count): Step => ({
    words: `take ${count}`,
    view: (view) => view.take(count),
    plain: (rows) => ({ ...rows, rows: rows.rows.slice(0, count) }),
  })),
  fc.constantFrom("group", "example").map((on): Step => ({
    words: `join on ${on}`,
    view: (view) => {
      const name = `j${view.columns.length}`;
      const key = on === "group" ? "g1" : "e3";
      return view.join([{ [on]: key, [name]: 7 }], { on, unmatched: "null", labels: [name] });
    },
    plain: (rows) => {
      const name = `j${rows.fields.length}`;
      const key = on === "group" ? "g1" : "e3";
      return {
        ...rows,
        fields: [...rows.fields, { name, type: "float64", nullable: true, role: "label" }],
        rows: rows.rows.map((row) => ({
          ...row,
          values: { ...row.values, [name]: row.values[on] === key ? 7 : null },
        })),
      };
    },
  })),
);

const append: Step = {
  words: "append",
  view: (view, other) => view.append(viewOf(other).select({ layers: view.layers }), { prefix: "p/" }),
  plain: (rows, other) => {
    const lacking = other.fields.filter(({ name }) => !has(rows, name));
    const below = other.rows.map(({ run, values, numbers }) => ({
      run,
      numbers,
      values: {
        ...Object.fromEntries(rows.fields.map(({ name }) => [name, null])),
        ...values,
        example: `p/${String(values["example"])}`,
      },
    }));
    const above = rows.rows.map((row) => ({
      ...row,
      values: { ...Object.fromEntries(lacking.map(({ name }) => [name, null])), ...row.values },
    }));
    return { layers: rows.layers, fields: [...rows.fields, ...lacking], rows: [...above, ...below] };
  },
};

const chains = fc
  .record({
    before: fc.array(steps, { maxLength: 3 }),
    appended: fc.boolean(),
    after: fc.array(steps, { maxLength: 2 }),
  })
  .map(({ before, appended, after }) => [...before, ...(appended ? [append] : []), ...after]);

test(
  "views of views give what plain arrays give, and so does what they write",
  { timeout: 30_000 },
  async () => {
    const sources = await Promise.all(
      rowDtypes.map(async (dtype) => {
        const memory = memorySource({ rows: 29, dtype });
        const shardRows = { bfloat16: 4, float16: 11, float32: 100 }[dtype];
        const dataset = await writeDataset(await freshFolder(), memory, { how: "test", from: [], shardRows });
        const other = memorySource({ rows: 8, dtype });
        return {
          memory,
          dataset,
          other,
          plain: await plainRows(memory, "a"),
          plainOther: await plainRows(other, "b"),
        };
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        chains,
        fc.constantFrom(0, 1, 2),
        fc.boolean(),
        fc.infiniteStream(fc.boolean()),
        async (chain, which, stored, coin) => {
          const { memory, dataset, other, plain, plainOther } = sources[which]!;
          let view: DatasetView = stored ? await dataset.take(29) : viewOf(memory);
          let rows = plain;
          for (const step of chain) {
            view = await step.view(view, other);
            rows = step.plain(rows, plainOther);
          }
          const some = Uint32Array.from(rows.rows.keys()).filter(() => coin.next().value as boolean);
          await expectRows(view, rows, some);
          if (rows.rows.length === 0 || !(coin.next().value as boolean)) return;
          const written = await view.write(await freshFolder(), { shardRows: 5 });
          await written.validate();
          await expectRows(written, rows, some);
          expect(written.manifest.origin).toMatchObject({
            kind: "derived",
            how: view.lineage.how.join("; "),
          });
        },
      ),
      { numRuns: 60 },
    );
  },
);
