import fc from "fast-check";
import { loadModel } from "@residua/engine";
import { expect, test } from "vitest";
import { tokenBytes } from "../src/token-bytes.ts";
import { tinyModel } from "./support.ts";

test("the bytes of a text's tokens are those of the text, whatever the tokens split", async () => {
  const model = await loadModel(tinyModel);
  const { tokenizer } = model;
  const bytesOf = (token: number) => tokenBytes(token, tokenizer.decode([token]), tokenizer);
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
      const tokens = tokenizer.encode(text, { addSpecialTokens: false });
      // What the tokenizer reads of a text: it has no place for half a surrogate pair.
      expect(Uint8Array.from(tokens.flatMap(bytesOf))).toEqual(new TextEncoder().encode(text));
    }),
  );
  await model.dispose();
});

test("a byte token says its byte, and a token that is U+FFFD itself its three", () => {
  expect(tokenBytes(5, "\uFFFD", { spell: () => ["<0xE2>"] })).toEqual([0xe2]);
  expect(tokenBytes(5, "\uFFFD", { spell: () => ["\uFFFD"] })).toEqual([0xef, 0xbf, 0xbd]);
});
