import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { decoders, far, flipped, frameBytes as bytesOf, lawful, outcome } from "./zstd-support.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** What zlib's own decoder makes of the same, in Deno. */
async function inDeno(jobs: readonly [Uint8Array, number][]) {
  const folder = await mkdtemp(join(tmpdir(), "residua-zstd-"));
  try {
    const file = join(folder, "jobs.json");
    await writeFile(
      file,
      JSON.stringify(jobs.map(([bytes, size]) => [Buffer.from(bytes).toString("base64"), size])),
    );
    const { stdout } = await promisify(execFile)(
      here("../../../../node_modules/.bin/deno"),
      ["run", "-A", "--conditions=@residua/source", here("deno-decode.ts"), file],
      { env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" } },
    );
    return JSON.parse(stdout) as { name: string; results: string[]; contentSize: number };
  } finally {
    await rm(folder, { recursive: true });
  }
}

it("J11: zlib's own decoder, the native module and WebAssembly give equal bytes", async () => {
  const checked = bytesOf("checksum");
  const jobs: [Uint8Array, number][] = lawful.map((name) => [bytesOf(name), 48]);
  jobs.push([bytesOf("plain"), 47], [bytesOf("plain"), 49]);
  jobs.push([bytesOf("no content size"), 46], [bytesOf("bomb of 64 MiB without content size"), 8192]);
  for (let at = 0; at < checked.length; at++) jobs.push([flipped(checked, at, 1 << (at % 8)), 48]);
  const deno = await inDeno([...jobs, [far.frame, far.bytes]]);
  expect(deno.results.at(-1)).toBe(far.sha256);
  expect(deno.name).toBe("node");
  expect(deno.contentSize).toBe(1000);
  for (const decoder of decoders) {
    for (const [i, [bytes, size]] of jobs.entries())
      expect(await outcome(decoder, bytes, size), `${decoder.name}, job ${i}`).toBe(deno.results[i]);
  }
});
