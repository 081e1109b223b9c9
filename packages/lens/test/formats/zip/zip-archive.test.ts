import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compressZstd } from "../../../src/codec/compress-zstd.ts";
import { encodeZip } from "../../../src/formats/zip/encode-zip.ts";
import { openZip } from "../../../src/formats/zip/zip-archive.ts";
import { refusal } from "../refusal.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const one = encodeZip(
  new Map([
    ["a", bytes("abc")],
    ["é", bytes("")],
  ]),
);

/** `one` with the number at an offset of its directory changed, 16 or 32 bits. */
function changed(archive: Uint8Array, ...changes: [at: number, bits: 16 | 32, value: number][]): Uint8Array {
  const copy = archive.slice();
  const view = new DataView(copy.buffer);
  for (const [at, bits, value] of changes) {
    if (bits === 16) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
  }
  return copy;
}

/** An archive of one deflated entry, whose directory states this size. */
function deflated(content: Uint8Array, statedSize = content.length): Uint8Array {
  const packed = deflateRawSync(content, { level: 9 });
  const archive = encodeZip(new Map([["a", packed]]));
  const directory = 30 + 1 + packed.length;
  // The CRC is that of the packed bytes, so it is changed too.
  const crc = new DataView(encodeZip(new Map([["a", content]])).buffer).getUint32(14, true);
  return changed(
    archive,
    [directory + 10, 16, 8],
    [directory + 16, 32, crc],
    [directory + 24, 32, statedSize],
  );
}

describe("zip archives", () => {
  it("give names, sizes and bytes back (property)", () => {
    const entries = fc.uniqueArray(fc.tuple(fc.string({ unit: "grapheme" }), fc.uint8Array()), {
      selector: ([name]) => name,
    });
    fc.assert(
      fc.property(entries, (list) => {
        const zip = openZip(encodeZip(new Map(list)), "x.zip");
        expect(zip.names).toEqual(list.map(([name]) => name));
        for (const [name, content] of list) expect(zip.read(name)).toEqual(content);
      }),
    );
  });

  it("are read where the end record is followed by a comment, and where entries are deflated", () => {
    const commented = changed(Uint8Array.of(...one, ...bytes("hello")), [one.length - 2, 16, 5]);
    expect(openZip(commented, "x.zip").names).toEqual(["a", "é"]);
    const content = bytes("a".repeat(5000));
    expect(openZip(deflated(content), "x.zip").read("a")).toEqual(content);
    expect(() => openZip(one, "x.zip").read("b")).toThrow(refusal("format_missing", '"b"'));
  });
});

describe("hostile archives", () => {
  const directory = 30 + 1 + 3 + 30 + 2;
  const read = (archive: Uint8Array, most?: number) => () => openZip(archive, "x.zip", most).read("a");

  it("a bomb: more than is allowed in all, or more than deflate can make, is refused before it is unpacked", () => {
    const bomb = deflated(new Uint8Array(10_000_000));
    expect(bomb.length).toBeLessThan(11_000);
    expect(read(bomb, 9_999_999)).toThrow(refusal("format_too_large", "10000000 bytes unpacked"));
    expect(read(deflated(bytes("abc"), 100_000_000))).toThrow(
      refusal("format_invalid", "announces 100000000"),
    );
  });

  it("sizes that lie, either way", () => {
    const content = bytes("a".repeat(5000));
    expect(read(deflated(content, 4999))).toThrow(
      refusal("format_invalid", "does not unpack to the 4999 bytes"),
    );
    expect(read(deflated(content, 5001))).toThrow(refusal("format_invalid", "other bytes"));
    expect(read(changed(one, [directory + 24, 32, 4]))).toThrow(
      refusal("format_invalid", "announces 4 bytes"),
    );
  });

  it.each([
    ["format_invalid", "other bytes", changed(one, [31, 16, 0x4141])],
    ["format_invalid", "no header", changed(one, [0, 32, 0])],
    ["format_invalid", "another header", changed(one, [30, 16, 0x4242])],
    ["format_invalid", "directory that is damaged", changed(one, [directory, 32, 0])],
    ["format_invalid", "past its end", changed(one, [one.length - 6, 32, 1e9])],
    ["format_unsupported", "encrypted", changed(one, [directory + 8, 16, 1])],
    ["format_unsupported", "method 12", changed(one, [directory + 10, 16, 12])],
    [
      "format_unsupported",
      "ZIP64",
      changed(one, [one.length - 12, 16, 0xffff], [one.length - 14, 16, 0xffff]),
    ],
    ["format_truncated", "asks for", changed(one, [one.length - 12, 16, 3])],
    ["format_truncated", "no zip archive", bytes("PK")],
  ])("%s: %s", (code, problem, archive) => {
    expect(read(archive)).toThrow(refusal(code, problem));
  });

  it("an entry twice", () => {
    const text = Buffer.from(
      encodeZip(
        new Map([
          ["a", bytes("1")],
          ["b", bytes("2")],
        ]),
      ),
    ).toString("latin1");
    const twice = new Uint8Array(Buffer.from(text.replaceAll("b", "a"), "latin1"));
    expect(read(twice)).toThrow(refusal("format_invalid", "twice"));
  });

  it("every shorter archive", () => {
    for (let length = 0; length < one.length; length++) expect(read(one.subarray(0, length))).toThrow();
  });
});

describe("zstd entries", () => {
  const content = bytes("abc".repeat(1000));

  /** An archive of one entry of zstd, as CPython 3.14 and zipfile-zstd write it. */
  async function packed(statedSize = content.length): Promise<Uint8Array> {
    const frame = await compressZstd(content);
    const directory = 30 + 1 + frame.length;
    const crc = new DataView(encodeZip(new Map([["a", content]])).buffer).getUint32(14, true);
    return changed(
      encodeZip(new Map([["a", frame]])),
      [directory + 10, 16, 93],
      [directory + 16, 32, crc],
      [directory + 24, 32, statedSize],
    );
  }

  it("are loaded, checked, and not read at once", async () => {
    const zip = openZip(await packed(), "a.zip");
    expect(new Uint8Array(await zip.load("a"))).toEqual(content);
    expect(() => zip.read("a")).toThrow(refusal("format_unsupported", "packed by zstd"));
    const stored = openZip(one, "one.zip");
    expect(await stored.load("a")).toEqual(bytes("abc"));
  });

  it("are held to the size that the directory states", async () => {
    const zip = openZip(await packed(7), "a.zip");
    await expect(zip.load("a")).rejects.toMatchObject({ code: "format_invalid" });
  });
});
