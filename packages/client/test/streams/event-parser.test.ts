import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventParser, type ServerEvent } from "../../src/streams/event-parser.ts";
import { referenceEvents } from "./reference-events.ts";

const encoder = new TextEncoder();
const megabyte = 2 ** 20;

function parse(parts: Iterable<Uint8Array>, longest = megabyte): ServerEvent[] {
  const parser = new EventParser(longest);
  return Array.from(parts, (part) => (parser.push(part), parser.take())).flat();
}

/** With the end of the body. */
function parseWhole(text: string): ServerEvent[] {
  const parser = new EventParser(megabyte);
  parser.push(encoder.encode(text));
  parser.end();
  return parser.take();
}

const dataOf = (events: ServerEvent[]) => events.map(({ data }) => data);
const both = (bytes: Uint8Array, at: number) => [bytes.subarray(0, at), bytes.subarray(at)];
const byByte = (bytes: Uint8Array) => Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));

/** Streams that are mostly sensible, with every oddity of the format. */
const ending = fc.constantFrom("\n", "\r", "\r\n");
const text = fc.oneof(
  fc.constantFrom("[DONE]", "data: [DONE]", '{"text":"a"}', "👋🏽", "日本", "é", " ", ":", "\uFEFF", ""),
  fc.string({ unit: "grapheme", maxLength: 6 }).map((any) => any.replaceAll(/[\r\n]/g, "")),
);
const line = fc.oneof(
  { weight: 4, arbitrary: text.map((value) => `data: ${value}`) },
  { weight: 3, arbitrary: fc.constant("") },
  text.map((value) => `data:${value}`),
  text.map((value) => `:${value}`),
  fc.constantFrom(
    "data",
    "event",
    "event: error",
    "event:error",
    "id: 1",
    "retry: 3",
    "dat",
    "database: 1",
    " data: x",
  ),
  text,
);
const stream = fc
  .tuple(fc.constantFrom("", "\uFEFF"), fc.array(fc.tuple(line, ending), { maxLength: 12 }), text)
  .map(([mark, lines, tail]) => encoder.encode(mark + lines.flat().join("") + tail));

describe("EventParser", () => {
  it("gives the events of 1000 random streams as WHATWG's rules do, cut at every byte", () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        const expected = referenceEvents(bytes).map((event) => ({ ...event, cut: false }));
        expect(parse([bytes])).toEqual(expected);
        for (let at = 0; at <= bytes.length; at++) expect(parse(both(bytes, at))).toEqual(expected);
        expect(parse(byByte(bytes))).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it("gives the same for bytes that are no UTF-8", () => {
    const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(10, 13, 0xe2, 0x80, 0xf0, 0xef));
    const junk = fc.uint8Array({ maxLength: 12 }).chain((start) =>
      fc.array(byte, { maxLength: 24 }).map((rest) => {
        const data = encoder.encode("data: ");
        return Uint8Array.of(...data, ...rest, 10, ...data, ...start, 10, 10, ...data, ...rest, 10, 10);
      }),
    );
    fc.assert(
      fc.property(junk, (bytes) => {
        const expected = referenceEvents(bytes).map((event) => ({ ...event, cut: false }));
        for (let at = 0; at <= bytes.length; at++) expect(parse(both(bytes, at))).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it("J14: a CR at the end of one piece and its LF at the start of the next end one line", () => {
    const parts = ["data: a\r", "\ndata: b\r", "\n\r", "\ndata: c\r\n\r\n"].map((part) =>
      encoder.encode(part),
    );
    expect(dataOf(parse(parts))).toEqual(["a\nb", "c"]);
  });

  it("gives an event that ends in CR without waiting for more", () => {
    expect(dataOf(parse([encoder.encode("data: a\r\r")]))).toEqual(["a"]);
  });

  it("J15: streams of lone CR, of CRLF and of mixtures, and comments that end in a lone CR", () => {
    for (const end of ["\n", "\r", "\r\n"]) {
      expect(dataOf(parse([encoder.encode(`data: a${end}${end}data: b${end}${end}`)]))).toEqual(["a", "b"]);
    }
    expect(dataOf(parse([encoder.encode("data: a\r\n\ndata: b\n\r\ndata: c\r\r\n")]))).toEqual([
      "a",
      "b",
      "c",
    ]);
    const coldBoot = `: [###...] weights loading · 1m02s${" ".repeat(40)}\r`;
    const boot = `${coldBoot}${coldBoot}\ndata: {"text":"x"}\n\n`;
    expect(dataOf(parse(byByte(encoder.encode(boot))))).toEqual(['{"text":"x"}']);
  });

  it("J16: emoji and CJK that come byte by byte", () => {
    const bytes = encoder.encode("data: 👋🏽 日本語 é\n\n");
    expect(dataOf(parse(byByte(bytes)))).toEqual(["👋🏽 日本語 é"]);
  });

  it("J17: the blank line between two events is cut in two", () => {
    const parts = ["data: a\n", "\ndata: b\n\n"].map((part) => encoder.encode(part));
    expect(dataOf(parse(parts))).toEqual(["a", "b"]);
  });

  it("takes one byte order mark away, also one that comes in pieces, and no second", () => {
    const bytes = encoder.encode("\uFEFF\uFEFFdata: a\n\ndata: \uFEFFb\n\n");
    expect(dataOf(parse(byByte(bytes)))).toEqual(["\uFEFFb"]);
    expect(dataOf(parse(byByte(bytes.subarray(3))))).toEqual(["a", "\uFEFFb"]);
  });

  it("J20: gives what the end of the body left open as cut", () => {
    expect(parseWhole("data: a\n\ndata: b")).toEqual([
      { data: "a", type: "", cut: false },
      { data: "b", type: "", cut: true },
    ]);
    expect(parseWhole("data: b\n")).toEqual([{ data: "b", type: "", cut: true }]);
    expect(parseWhole("data: b\r")).toEqual([{ data: "b", type: "", cut: true }]);
    expect(parseWhole("data: a\n\n: comment")).toEqual([{ data: "a", type: "", cut: false }]);
  });

  it("refuses an endless line and endless data, however they come, and holds no more than is allowed", () => {
    const endless = { code: "event_too_long", data: { longestEvent: 1000 } };
    const flood = encoder.encode("x".repeat(300));
    const caught = (parts: Uint8Array[]) => {
      try {
        parse(parts, 1000);
      } catch (error) {
        return error;
      }
      return expect.unreachable();
    };
    expect(caught([flood, flood, flood, flood])).toMatchObject(endless);
    expect(caught(Array.from({ length: 600 }, () => encoder.encode("data: y\n")))).toMatchObject(endless);
    expect(caught([encoder.encode(`data: ${"z".repeat(1001)}\n\n`)])).toMatchObject(endless);
    expect(parse([encoder.encode(`data: ${"z".repeat(994)}\n\n`.repeat(40))], 1000)).toHaveLength(40);
  });

  it("takes a long line byte by byte in linear time", () => {
    const bytes = encoder.encode(`data: ${"a".repeat(megabyte / 2)}\n\n`);
    const start = performance.now();
    expect(parse(byByte(bytes))).toHaveLength(1);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});
