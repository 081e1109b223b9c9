import type { InvalidRequestError, RequestIssue } from "@residua/lens";
import { invalidExamples } from "../example.ts";

/** The first faults of a file, and how many there are. */
export interface RowFaults {
  add(issue: RequestIssue): void;
  readonly count: number;
  /** Throws InvalidRequestError where there is a fault. */
  refuse(): void;
}

export function makeRowFaults(): RowFaults {
  const first: RequestIssue[] = [];
  let count = 0;
  const error = (): InvalidRequestError => invalidExamples(first, count);
  return {
    add(issue) {
      if (count++ < 20) first.push(issue);
    },
    get count() {
      return count;
    },
    refuse() {
      if (count > 0) throw error();
    },
  };
}
