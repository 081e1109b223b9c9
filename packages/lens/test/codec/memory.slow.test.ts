import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

const mebibyte = 2 ** 20;
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** A piece of work in a process of its own, whose memory is its own. */
async function inChild<T>(...words: string[]): Promise<T> {
  const flags = ["--expose-gc", "--max-old-space-size=128", "--conditions=@residua/source", "--import=tsx"];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, here("memory-child.ts"), ...words],
    {
      cwd: here("../.."),
    },
  );
  return JSON.parse(stdout) as T;
}

interface Refusals {
  codes: Record<string, string>;
  peak: number;
  declared: number;
}

it.each(["native", "wasm"])(
  "each broken frame is refused with its own code, in less than twice the declared memory: %s",
  async (decoder) => {
    const { codes, peak, declared } = await inChild<Refusals>("refusals", decoder);
    expect(codes).toEqual({
      "expands to 4 GiB, and says nothing": "tensor_size",
      "expands to 4 GiB, and says 64 MiB": "tensor_frame",
      "says 1 GiB": "tensor_size",
      "one block too many": "tensor_frame",
      "one block too few": "tensor_frame",
      "one block too few, and says nothing": "tensor_size",
      "a window of 2 GiB": "tensor_frame",
      "is cut off": "tensor_truncated",
      "empty frames": "tensor_frame",
      "thousands of frames": "tensor_size",
    });
    expect(peak).toBeLessThan(2 * declared);
  },
  60_000,
);

interface Held {
  held: number;
  collections: number;
  kept: number;
}

describe("C25: what is read from a capture of 2 MiB", () => {
  it.each(["row", "rowBits", "rows"])(
    "%s lets the rest be collected",
    async (reader) => {
      const { held, collections, kept } = await inChild<Held>("held", reader);
      expect(kept).toBeLessThan(32 * 1024);
      expect(collections).toBe(1);
      expect(held).toBeLessThan(64 * 1024);
    },
    30_000,
  );

  it("view keeps it, as it says", async () => {
    const { held, collections } = await inChild<Held>("held", "view");
    expect(collections).toBe(0);
    expect(held).toBeGreaterThan(1.9 * mebibyte);
  }, 30_000);
});

it("C26: a thousand captures of 2 MiB with one row kept of each stay under 192 MiB", async () => {
  const { peak, kept, left } = await inChild<{ peak: number; kept: number; left: number }>("thousand");
  expect(kept).toBeGreaterThan(15 * mebibyte);
  expect(peak).toBeLessThan(192 * mebibyte);
  expect(left).toBeLessThan(kept + 4 * mebibyte);
}, 60_000);
