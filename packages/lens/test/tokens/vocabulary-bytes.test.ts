import { readFileSync } from "node:fs";
import type { Completion } from "@residua/client";
import { describe, expect, it } from "vitest";
import { spellings, textsOf } from "../../src/tokens/vocabulary-bytes.ts";

const fixture = JSON.parse(
  readFileSync(new URL("../../fixtures/spellings.json", import.meta.url), "utf8"),
) as { bytes: string[]; text: string; token_strs: string[] };
const [byteLevel, sentencePiece] = spellings as [(typeof spellings)[0], (typeof spellings)[0]];
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe("a byte-level vocabulary", () => {
  it("spells every byte as transformers does", () => {
    fixture.bytes.forEach((character, byte) => expect([...byteLevel(character)]).toEqual([byte]));
  });

  it("gives the text of real tokens, each character at the token that completes it", () => {
    const texts = textsOf(fixture.token_strs.map(byteLevel));
    expect(texts.join("")).toBe(fixture.text);
    expect(texts.slice(0, 5)).toEqual(["é", "", "", " 👋", ""]);
    expect(texts).toContain("<|im_start|>");
  });

  it("leaves special tokens that are no bytes as they are", () => {
    expect(text(byteLevel("<｜begin▁of▁sentence｜>"))).toBe("<｜begin▁of▁sentence｜>");
  });
});

it("names the tokens of a text as a server names them, whatever characters they cut through", () => {
  const recorded = JSON.parse(
    readFileSync(new URL("../../fixtures/select/emoji.json", import.meta.url), "utf8"),
  ) as { token_strs: string[]; response_body: string };
  const { choices } = JSON.parse(recorded.response_body) as Completion;
  const told = choices[0]!.prompt_logprobs!.map((entry) => entry && Object.values(entry)[0]!.decoded_token);
  expect(textsOf(recorded.token_strs.map(byteLevel)).slice(1)).toEqual(told.slice(1));
});

describe("a SentencePiece vocabulary", () => {
  it("has ▁ for a space, and single bytes", () => {
    const names = ["▁The", "▁é", "<0xF0>", "<0x9F>", "<0x91>", "<0x8B>", "<0x0A>"];
    expect(textsOf(names.map(sentencePiece))).toEqual([" The", " é", "", "", "", "👋", "\n"]);
  });
});
