import { InvalidRequestError } from "@residua/lens";
import { columnOf } from "../probes/checked-reads.ts";
import { ProbeError } from "../probes/probe-error.ts";
import type { SweepDataset } from "../probes/sweep-rows.ts";
import type { SweepOptions } from "../sweep/sweep-options.ts";
import type { RowTokens } from "./read-tokens.ts";

/** 1 for each kept row that the filter leaves out. Throws ProbeError `bad_column` where the dataset does not know its rows' tokens. */
export async function filteredRows(
  dataset: SweepDataset,
  { kept, tokens, filter }: { kept: Uint32Array; tokens: RowTokens; filter: SweepOptions["tokenFilter"] },
): Promise<{ without: Uint8Array; how: string } | undefined> {
  if (filter === undefined) return undefined;
  if (typeof filter === "function") {
    return {
      without: Uint8Array.from(kept, (row) => leftOut(filter, row)),
      how: "rows for which the function returned true",
    };
  }
  const wanted = new Set<unknown>(filter);
  const own = async (name: string): Promise<ArrayLike<unknown> | undefined> =>
    dataset.columns.includes(name) ? await columnOf(dataset, name) : undefined;
  const [ids, texts] = [await own("token_id"), await own("token")];
  const has = {
    number: ids !== undefined || tokens.read.some((read) => read !== null),
    string: texts !== undefined,
  };
  const unknown = filter.find((token) => !has[typeof token as "number" | "string"]);
  if (unknown !== undefined) {
    const column = typeof unknown === "number" ? "token_id or token_ids" : "token";
    throw new ProbeError(
      "bad_column",
      `tokenFilter holds ${JSON.stringify(unknown)}, and the dataset has no column ${column}.`,
      {
        column,
      },
    );
  }
  const without = Uint8Array.from(kept, (row, i) => {
    const mine = wanted.has(ids?.[row]) || wanted.has(texts?.[row]);
    return mine || (tokens.read[i]?.some((id) => wanted.has(id)) ?? false) ? 1 : 0;
  });
  return {
    without,
    how: `rows whose tokens hold ${filter.map((token) => JSON.stringify(token)).join(", ")}`,
  };
}

function leftOut(filter: (row: number) => boolean, row: number): 0 | 1 {
  const answer: unknown = filter(row);
  if (typeof answer === "boolean") return answer ? 1 : 0;
  const given = `a function that returned ${typeof answer}`;
  throw new InvalidRequestError(
    [{ field: "tokenFilter", given, allowed: "one that returns true or false" }],
    "sweep options",
  );
}
