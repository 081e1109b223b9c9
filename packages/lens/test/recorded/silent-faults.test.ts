import { describe, expect, it } from "vitest";
import { silentFaults, tableRow } from "./silent-faults.ts";

describe("silently wrong answers of a real server", () => {
  it.each(silentFaults)("$what: $recorded", async (fault) => {
    console.log(await tableRow(fault));
  });
});
