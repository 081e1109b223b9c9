import { expect, test } from "vitest";
import { textBody } from "../src/text-body.ts";

const pieces = () => Array.from({ length: 500 }, (_, i) => `${i}é🌍`.repeat(100));

test("a short body is one string, a long one a stream of the same text", async () => {
  const text = pieces().join("");
  expect(textBody(pieces().values())).toBe(text);
  const stream = textBody(pieces().values(), 1000);
  expect(stream).toBeInstanceOf(ReadableStream);
  expect(await new Response(stream).text()).toBe(text);
  expect(textBody([].values())).toBe("");
});
