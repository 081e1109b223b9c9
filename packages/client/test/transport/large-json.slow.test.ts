import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Base64Bytes } from "../../src/transport/base64-bytes.ts";
import { LargeJSON } from "../../src/transport/large-json.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function parse(
  bytes: Uint8Array,
  cuts: readonly number[],
  options = { pieceSize: 8, liftFrom: 12 },
): unknown {
  const parser = new LargeJSON(options);
  const at = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  for (const [i, start] of at.entries()) parser.write(bytes.subarray(start, at[i + 1]));
  return parser.end();
}

/** The value with every base64 text that is lifted turned into bytes. */
function lifted(value: unknown, liftFrom: number, inside = false): unknown {
  if (Array.isArray(value)) return value.map((element) => lifted(element, liftFrom, inside));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, element]) => {
      if (inside && key === "data" && typeof element === "string" && element.length >= liftFrom) {
        return [key, new Uint8Array(Buffer.from(element, "base64"))];
      }
      return [key, lifted(element, liftFrom, inside || key === "activations" || key === "hook_results")];
    }),
  );
}

const base64 = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString("base64"));
const tensor = fc.record({ dtype: fc.string(), data: base64, shape: fc.array(fc.nat(9), { maxLength: 3 }) });
const anything = fc.oneof(
  fc.object({ maxDepth: 4 }),
  fc.array(fc.jsonValue()),
  fc.dictionary(fc.string(), fc.jsonValue()),
);
const answers = fc.oneof(
  anything,
  fc.record({
    id: fc.string(),
    choices: fc.array(fc.jsonValue(), { maxLength: 3 }),
    activations: fc.dictionary(fc.string(), tensor),
  }),
  fc.record({ hook_results: fc.dictionary(fc.string(), fc.record({ h: tensor })), data: fc.string() }),
);
const spaced = fc.tuple(answers, fc.constantFrom(undefined, 1, "\t"));

describe("LargeJSON", () => {
  it("gives what JSON.parse gives, at any split (property)", () => {
    fc.assert(
      fc.property(
        spaced,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.integer({ min: 1, max: 40 }),
        ([value, space], cuts, pieceSize) => {
          const text = `\n ${JSON.stringify(value, undefined, space)} `;
          const came = parse(bytesOf(text), cuts, { pieceSize, liftFrom: 12 });
          expect(came).toEqual(lifted(JSON.parse(text), 12));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("reads what follows a lifted text that was cut behind a backslash", () => {
    const data = Buffer.alloc(60, 255).toString("base64");
    const text = `{"activations":{"data":"${data.replaceAll("/", "\\/")}","":"","b":1}}`;
    const value = { activations: { data, "": "", b: 1 } };
    const bytes = bytesOf(text);
    for (let cut = 1; cut < bytes.length; cut++)
      expect(parse(bytes, [cut]), `cut at ${cut}`).toEqual(lifted(value, 12));
  });

  it("gives the same whatever was announced", () => {
    const data = Buffer.alloc(3_000, "residua").toString("base64");
    const value = { activations: { a: { data }, b: { data, shape: [1] } }, data };
    const bytes = bytesOf(JSON.stringify(value));
    for (const announced of [0, 10, bytes.length, 10 * bytes.length]) {
      const options = { pieceSize: 1000, liftFrom: 12, announced };
      expect(parse(bytes, [1, 999, 5_000, 5_001], options), String(announced)).toEqual(lifted(value, 12));
    }
  });

  it("gives the same at every single split and byte by byte", () => {
    const data = Buffer.from(Array.from({ length: 40 }, (_, i) => i * 7)).toString("base64");
    const value = {
      id: 'c"\\\u00e9😀',
      choices: [
        { index: 0, text: "x".repeat(30), logprobs: null },
        { index: 1, top: [{ " a": -1.5e-7 }, {}, []] },
      ],
      activations: { residual_stream: { data, shape: [1, 2] }, q: [{ data: data.slice(4) }] },
      data,
      usage: { total: 1 },
    };
    const text = JSON.stringify(value).replaceAll("/", "\\/");
    const bytes = bytesOf(text);
    const whole = lifted(value, 12);
    for (let cut = 0; cut <= bytes.length; cut++) expect(parse(bytes, [cut])).toEqual(whole);
    expect(
      parse(
        bytes,
        Array.from({ length: bytes.length }, (_, i) => i),
      ),
    ).toEqual(whole);
    expect(whole).toMatchObject({
      data,
      activations: { residual_stream: { data: expect.any(Uint8Array) as unknown } },
    });
  });

  it("refuses what JSON.parse refuses (property)", () => {
    const mutated = fc.tuple(
      spaced,
      fc.nat(),
      fc.constantFrom("", ",", "]", "}", "[", "{", ":", '"', "1", "\\", "\u0001"),
      fc.boolean(),
    );
    fc.assert(
      fc.property(
        mutated,
        fc.array(fc.nat(), { maxLength: 6 }),
        ([[value, space], where, insert, remove], cuts) => {
          const text = JSON.stringify(value, undefined, space);
          const at = where % (text.length + 1);
          const odd = text.slice(0, at) + insert + text.slice(at + (remove ? 1 : 0));
          const valid = outcome(() => JSON.parse(odd) as unknown);
          const came = outcome(() => parse(bytesOf(odd), cuts, { pieceSize: 8, liftFrom: 1e9 }));
          // A value that is no object or list is not an answer.
          if (valid === undefined || typeof valid.value !== "object" || valid.value === null)
            expect(came).toBeUndefined();
          else expect(came).toEqual(valid);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("keeps a __proto__ key as JSON.parse does, and refuses depth without end", () => {
    const text = `{"__proto__":{"a":"${"x".repeat(40)}"},"b":[${"1,".repeat(20)}1]}`;
    const came = parse(bytesOf(text), [3, 9]) as object;
    expect(Object.getPrototypeOf(came)).toBe(Object.prototype);
    expect(JSON.stringify(came)).toBe(JSON.stringify(JSON.parse(text)));
    expect(() => parse(bytesOf("[".repeat(5000)), [])).toThrow(/nested deeper/);
  });
});

describe("Base64Bytes", () => {
  it("gives what Buffer gives, at any split (property)", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.array(fc.nat(400), { maxLength: 6 }),
        (bytes, cuts) => {
          const text = bytesOf(Buffer.from(bytes).toString("base64"));
          const decoder = new Base64Bytes();
          let from = 0;
          for (const cut of [...cuts.map((c) => Math.min(c, text.length)), text.length].sort(
            (a, b) => a - b,
          )) {
            decoder.write(text.subarray(from, cut));
            from = cut;
          }
          expect(decoder.end()).toEqual(new Uint8Array(bytes));
        },
      ),
    );
  });

  it.each([0, 2_400_000, 2_500_003, 9_000_000])(
    "goes over its blocks, and holds little more than its bytes, with %i expected",
    (expected) => {
      const bytes = Uint8Array.from({ length: 2_500_001 }, (_, i) => i * 31);
      const decoder = new Base64Bytes(expected);
      const text = bytesOf(Buffer.from(bytes).toString("base64"));
      decoder.write(text.subarray(0, 3));
      decoder.write(text.subarray(3));
      const came = decoder.end();
      expect(Buffer.compare(came, bytes)).toBe(0);
      expect(came.buffer.byteLength).toBeLessThan(1.2 * bytes.length);
    },
  );

  it("refuses one wrong character in a long text, wherever it is (property)", () => {
    const text = bytesOf(Buffer.from(Uint8Array.from({ length: 3000 }, (_, i) => i * 7)).toString("base64"));
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.constantFrom(..."-_ =\n!\\\0\u00e9", "cut", "more"),
        fc.nat(text.length),
        (at, wrong, cut) => {
          // There it is padding.
          fc.pre(wrong !== "=" || at < text.length - 1);
          const broken =
            wrong === "cut"
              ? text.filter((_, i) => i !== at)
              : wrong === "more"
                ? Uint8Array.of(...text.subarray(0, at), 0x41, ...text.subarray(at))
                : text.map((code, i) => (i === at ? wrong.charCodeAt(0) : code));
          const decoder = new Base64Bytes();
          expect(() => {
            decoder.write(broken.subarray(0, cut));
            decoder.write(broken.subarray(cut));
            decoder.end();
          }).toThrow(SyntaxError);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("reads a slash that JSON writes as \\/ in a long text", () => {
    const bytes = Uint8Array.from({ length: 3000 }, (_, i) => (i % 3 === 0 ? 255 : i));
    const text = Buffer.from(bytes).toString("base64");
    expect(text).toContain("/");
    const decoder = new Base64Bytes();
    decoder.write(bytesOf(text.replaceAll("/", "\\/")));
    expect(decoder.end()).toEqual(bytes);
  });

  it.each([
    "QQ",
    "QQ=",
    "Q===",
    "QQ==QQ==",
    "QQ=A",
    "Q=Q=",
    "QUI-",
    "QU_B",
    "QU B",
    "QQ==\n",
    "\\nQQ",
    "QQ===",
  ])("refuses %j", (text) => {
    const decoder = new Base64Bytes();
    expect(() => {
      decoder.write(bytesOf(text));
      decoder.end();
    }).toThrow(SyntaxError);
  });
});

function outcome(run: () => unknown): { value: unknown } | undefined {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
