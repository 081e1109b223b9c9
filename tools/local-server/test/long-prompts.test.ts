import { expect, test } from "vitest";
import { refused, serve } from "./support.ts";

const running = serve();

test("a text that is too long by its beginning is refused unread", async () => {
  const body = { prompt: Array(15).fill("日".repeat(600_000)), max_tokens: 1 };
  expect(await refused(running, body, "context_length_exceeded")).toMatch(
    /^prompt: at least \d+ prompt tokens/,
  );
});
