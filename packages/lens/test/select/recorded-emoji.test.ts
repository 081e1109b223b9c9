import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { select } from "../../src/select/select.ts";
import { span } from "../../src/select/selection.ts";
import { lensAt } from "../lens-at.ts";
import { smollm2 } from "../replay-server.ts";

const recorded = JSON.parse(
  readFileSync(new URL("../../fixtures/select/emoji.json", import.meta.url), "utf8"),
) as {
  request: { prompt: string; max_tokens: number };
  response_body: string;
  stretches: [from: number, to: number, tokens: [first: number, last: number] | null][];
};

it("a real server's characters of several tokens: each stretch is its tokens, or cuts one", async () => {
  const { prompt, max_tokens } = recorded.request;
  const { lens } = await lensAt(() => recorded.response_body, [smollm2]);
  const capture = await lens.capture({ model: "smollm2", prompt, max_tokens, layers: [2] });
  const found = recorded.stretches.map(([from, to]) => {
    const selection = span({ characters: { from, to, unit: "codePoints" } });
    try {
      const { positions, matches } = select(capture, selection);
      expect(matches[0]?.text).toBe(Array.from(prompt).slice(from, to).join(""));
      return [positions[0], positions.at(-1), positions.length];
    } catch (error) {
      return (error as { code?: string }).code;
    }
  });
  const expected = recorded.stretches.map(([, , tokens]) =>
    tokens ? [...tokens, tokens[1] - tokens[0] + 1] : "span_cuts_token",
  );
  expect(found).toEqual(expected);
  expect(found.filter((one) => typeof one !== "string").length).toBeGreaterThan(100);
  // The answer ends within a character, of which nothing is in its text.
  const rainbow = select(capture, span({ text: "🌈", of: "generated" }));
  expect(rainbow.tokens.map(({ text }) => text)).toEqual(["", "", "🌈"]);
});
