import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { Buffer } from "node:buffer";
import process from "node:process";
import { makeCapture } from "../../src/capture/make-capture.ts";
import { compressZstd } from "../../src/codec/compress-zstd.ts";
import { decompressZstd } from "../../src/codec/decompress-zstd.ts";
import { frameDecoders } from "../../src/codec/frame-decoder.ts";
import { decodeTensor } from "../../src/codec/tensor-codec.ts";

// `memory-child.ts WHAT [DECODER]`: reports what a piece of work took, in bytes; run with --expose-gc.
const mebibyte = 2 ** 20;
/** What the tensor of a broken frame is said to have. */
const declared = 64 * mebibyte;
const [what = "", name = ""] = process.argv.slice(2);

/** A frame whose blocks say: this byte, so many times. Bytes of the header behind its magic number are given. */
function repeats(header: readonly number[], count: number): Uint8Array {
  const frame = new Uint8Array(4 + header.length + 4 * count);
  frame.set([0x28, 0xb5, 0x2f, 0xfd, ...header]);
  for (let i = 0; i < count; i++) {
    // 128 KiB each, type 1.
    const block = ((2 ** 17) << 3) | 2 | (i === count - 1 ? 1 : 0);
    frame.set([block & 0xff, (block >> 8) & 0xff, block >> 16, 0], 4 + header.length + 4 * i);
  }
  return frame;
}

const littleEndian = (size: number) => [size & 0xff, (size >> 8) & 0xff, (size >> 16) & 0xff, size >>> 24];
const saying = (size: number) => [0xa0, ...littleEndian(size)];
/** No content size; a window of 8 MiB. */
const silent = [0x00, 13 << 3];
const empty = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0];

const broken: Record<string, () => Uint8Array> = {
  "expands to 4 GiB, and says nothing": () => repeats(silent, 32_768),
  "expands to 4 GiB, and says 64 MiB": () => repeats(saying(declared), 32_768),
  "says 1 GiB": () => repeats(saying(2 ** 30), 512),
  "one block too many": () => repeats(saying(declared), 513),
  "one block too few": () => repeats(saying(declared), 511),
  "one block too few, and says nothing": () => repeats(silent, 511),
  "a window of 2 GiB": () => repeats([0x00, 21 << 3], 512),
  "is cut off": () => repeats(saying(declared), 512).subarray(0, -2),
  "empty frames": () => new Uint8Array(2 ** 17 * empty.length).map((_, i) => empty[i % empty.length] ?? 0),
  "thousands of frames": () =>
    Uint8Array.from(
      Array<Uint8Array>(6000)
        .fill(repeats(saying(2 ** 17), 1))
        .flatMap((part) => [...part]),
    ),
};

const memory = () => process.memoryUsage().rss;
/** The most that was held; `maxRSS` begins with that of the process that started this one, so Linux is asked instead. */
function highest(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024;
  return 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
}

async function collected(): Promise<number> {
  for (let i = 0; i < 5; i++) {
    await setImmediate();
    globalThis.gc?.();
  }
  return process.memoryUsage().arrayBuffers;
}

/** Each broken frame in turn: its code. The most memory is that of all of them. */
async function refusals() {
  const decoders = frameDecoders().filter((decoder) => decoder.name === name || decoder.name === "wasm");
  await decompressZstd(await compressZstd(new Uint8Array(100)), 100, decoders);
  const frames = Object.entries(broken).map(([title, make]) => [title, make()] as const);
  const codes: Record<string, string> = {};
  await collected();
  const before = memory();
  for (const [title, frame] of frames) {
    await collected();
    codes[title] = await decompressZstd(frame, declared, decoders).then(
      () => "taken",
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );
  }
  return { codes, peak: highest() - before, declared };
}

/** 2 MiB as bfloat16, in base64: what is decoded from it is its own memory. */
function madeCapture() {
  const shape = [4, 64, 4096];
  const bits = Uint16Array.from({ length: 2 ** 20 }, (_, i) => 0x3f80 + (i % 127));
  const data = Buffer.from(bits.buffer).toString("base64");
  return { wire: { data, dtype: "int16", original_dtype: "torch.bfloat16", shape }, layers: [0, 1, 2, 3] };
}

async function decoded({ wire, layers }: ReturnType<typeof madeCapture>) {
  const tensor = await decodeTensor(wire);
  const rest = {
    model: "m",
    prompt: "",
    bosTokenId: null,
    tokens: [],
    checks: [],
    server: {},
    completion: {},
  };
  return makeCapture({ ...rest, layers, tensor } as unknown as Parameters<typeof makeCapture>[0]);
}

/** Bytes held of a capture of 2 MiB by one thing that was read from it. */
async function held() {
  const made = madeCapture();
  const read = {
    row: (capture: Awaited<ReturnType<typeof decoded>>) => capture.row({ layer: 2, position: 3 }),
    rowBits: (capture: Awaited<ReturnType<typeof decoded>>) => capture.rowBits({ layer: 2, position: 3 }),
    rows: (capture: Awaited<ReturnType<typeof decoded>>) => [...capture.rows(2)][3],
    view: (capture: Awaited<ReturnType<typeof decoded>>) => capture.view(2),
  }[name];
  const before = await collected();
  let collections = 0;
  const registry = new FinalizationRegistry(() => collections++);
  const keep = await (async () => {
    const capture = await decoded(made);
    registry.register(capture.view(0).buffer, undefined);
    return read?.(capture);
  })();
  const after = await collected();
  return { held: after - before, collections, kept: keep?.byteLength, of: made.wire.data.length };
}

/** The most memory that a thousand captures of 2 MiB take, one row of each kept. */
async function thousand() {
  const made = madeCapture();
  const rows: Float32Array[] = [];
  for (let i = 0; i < 20; i++) rows.push((await decoded(made)).row({ layer: 0, position: i }));
  await collected();
  const before = memory();
  let peak = 0;
  for (let i = 0; i < 1000; i++) {
    const capture = await decoded(made);
    rows.push(capture.row({ layer: i % 4, position: i % 64 }));
    peak = Math.max(peak, memory() - before);
  }
  return { peak, kept: rows.length * (rows[0]?.byteLength ?? 0), left: await collected() };
}

const work: Record<string, () => Promise<object>> = { refusals, held, thousand };
process.stdout.write(JSON.stringify(await work[what]?.()));
