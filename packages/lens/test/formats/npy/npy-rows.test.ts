import { open, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { npyHeader } from "../../../src/formats/npy/npy-header.ts";
import { parseNpy } from "../../../src/formats/npy/npy.ts";
import { openNpy, writeNpyRows } from "../../../src/formats/npy/npy-rows.ts";
import { fixtureJson } from "../fixture.ts";
import { refusal } from "../refusal.ts";
import { temporaryFile, temporaryFolder } from "../temporary-folder.ts";

const files = fixtureJson("npy/files.json") as Record<string, { npy: string }>;
const bytesOf = (name: string) => new Uint8Array(Buffer.from(files[name]!.npy, "base64"));

function* cut(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe("a .npy file in parts", () => {
  it.each(["cube", "scalar", "empty", "row", "half", "bool", "i8", "u2"])(
    "%s is written byte for byte as NumPy writes it, wherever it is cut",
    async (name) => {
      const { dtype, shape, bytes } = parseNpy(bytesOf(name));
      for (const size of [1, 7, 1000]) {
        const path = join(await temporaryFolder(), "a.npy");
        await writeNpyRows(path, { dtype, shape }, cut(bytes, size));
        expect(new Uint8Array(await readFile(path))).toEqual(bytesOf(name));
      }
    },
  );

  it("is read by rows, of either byte order", async () => {
    for (const name of ["cube", "big", "i8", "half"]) {
      const whole = parseNpy(bytesOf(name));
      const file = await openNpy(await temporaryFile(bytesOf(name)));
      expect(file.shape).toEqual(whole.shape);
      const [length, ...rest] = whole.shape as [number, ...number[]];
      const row = whole.bytes.length / length;
      for (let first = 0; first < length; first++) {
        const { dtype, shape, bytes } = await file.readRows(first, length - first);
        expect({ dtype, shape }).toEqual({ dtype: whole.dtype, shape: [length - first, ...rest] });
        expect(bytes).toEqual(whole.bytes.slice(first * row));
      }
      if (rest.length > 1) {
        const { shape, bytes } = await file.readRows(1, 2, 2);
        expect(shape).toEqual([2, ...rest.slice(1)]);
        expect(bytes).toEqual(whole.bytes.slice(row / rest[0]!, (3 * row) / rest[0]!));
      }
      await expect(file.readRows(1, length)).rejects.toEqual(refusal("format_missing", "asked for"));
      await file.close();
    }
  });

  it("rows beyond 4 GiB are read alone", async () => {
    const [rows, width] = [700_000, 2048];
    const header = npyHeader("float32", [rows, width]);
    const path = await temporaryFile(header);
    const handle = await open(path, "r+");
    await handle.truncate(header.length + rows * width * 4);
    const last = Uint8Array.of(1, 2, 3, 4);
    await handle.write(last, 0, 4, header.length + rows * width * 4 - 4);
    await handle.close();
    expect((await stat(path)).size).toBeGreaterThan(2 ** 32);
    const file = await openNpy(path);
    expect((await file.readRows(rows - 1, 1)).bytes.slice(-4)).toEqual(last);
    await file.close();
  });

  it("parts that are more or fewer than the shape takes are refused, and nothing is left", async () => {
    const path = join(await temporaryFolder(), "a.npy");
    const form = { dtype: "float32", shape: [2, 2] } as const;
    for (const [parts, problem] of [
      [[new Uint8Array(12)], "takes 16 bytes, 12 are given"],
      [[new Uint8Array(16), new Uint8Array(1)], "takes 16 bytes, more than that"],
    ] as const) {
      await expect(writeNpyRows(path, form, parts)).rejects.toEqual(refusal("format_invalid", problem));
    }
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it("Fortran order, a cut file and a file that is too long are refused", async () => {
    const fortran = await temporaryFile(bytesOf("fortran"));
    await expect(openNpy(fortran)).rejects.toEqual(refusal("format_unsupported", "Fortran order"));
    const whole = bytesOf("cube");
    await expect(openNpy(await temporaryFile(whole.slice(0, -1)))).rejects.toEqual(
      refusal("format_truncated", "needs"),
    );
    await expect(openNpy(await temporaryFile(Buffer.concat([whole, Uint8Array.of(0)])))).rejects.toEqual(
      refusal("format_invalid", "needs"),
    );
  });
});
