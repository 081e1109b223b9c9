import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tokenNames } from "../../src/api/token-name.ts";
import { loadModel } from "../../src/model.ts";
import type { Tokenizer } from "../../src/tokenizer.ts";
import { tinyModel } from "../support.ts";

let tokenizer: Tokenizer;
let dispose: () => Promise<void>;
beforeAll(async () => {
  const model = await loadModel(tinyModel);
  tokenizer = model.tokenizer;
  dispose = () => model.dispose();
});
afterAll(() => dispose());

const named = (text: string) => {
  const name = tokenNames(tokenizer, false);
  const tokens = tokenizer.encode(text, { addSpecialTokens: false });
  return tokens.map((token, i) => name(token, tokens.slice(Math.max(0, i - 3), i)));
};

test("the names of a text's tokens are the text, whatever characters they cut through", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      fc.pre(!text.includes("\uFFFD"));
      expect(named(text).join("")).toBe(
        tokenizer.decode(tokenizer.encode(text, { addSpecialTokens: false })),
      );
    }),
  );
});

test("bytes before the last of a character have no text", () => {
  const names = named("👋");
  expect(names.length).toBeGreaterThan(1);
  expect(names.slice(0, -1).join("")).toBe("");
  expect(names.at(-1)).toBe("👋");
});

test("or each is called by its id", () => {
  expect(tokenNames(tokenizer, true)(51, [])).toBe("token_id:51");
});
