import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { closing } from "../client-support.ts";
import { answer, faultServer, type Script } from "../fault-server.ts";

const mebibyte = 2 ** 20;

/** V8's longest text is 512 MiB; these answers are longer, and made as they are sent. */
const size = 600 * mebibyte;

/** Writes the start, the block as often as needed, and the end, no faster than it is read. */
const streaming =
  (start: string, block: string, end: string): Script =>
  async (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write(start);
    const bytes = Buffer.from(block);
    for (let sent = 0; sent < size && !response.destroyed; sent += bytes.length) {
      if (response.write(bytes)) continue;
      await new Promise<void>((resolve) => {
        const go = () => {
          response.off("drain", go).off("close", go);
          resolve();
        };
        response.once("drain", go).once("close", go);
      });
    }
    response.end(end);
  };

interface Report {
  outcome: string;
  peak: number;
}

/** A client in a process of its own with a bound on its heap. */
async function askFromChild(url: string, heap: number): Promise<Report> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      `--max-old-space-size=${heap}`,
      "--conditions=@residua/source",
      "--import=tsx",
      new URL("large-answer-child.ts", import.meta.url).pathname,
      url,
    ],
    { cwd: new URL("../..", import.meta.url).pathname },
  );
  return JSON.parse(stdout) as Report;
}

const { choices, ...rest } = answer();
const opening = JSON.stringify(rest).slice(0, -1);

describe("an answer of 600 MiB (J8)", () => {
  it("is read when it is a capture, in less than twice its size", async () => {
    const start = `${opening},"choices":${JSON.stringify(choices)},"activations":{"residual_stream":{"dtype":"int16","shape":[1],"data":"`;
    const server = closing(await faultServer(streaming(start, "QUJD".repeat(mebibyte / 4), '"}}}')));
    const { outcome, peak } = await askFromChild(server.url, 256);
    expect(outcome).toBe(`${(size / 4) * 3} bytes`);
    expect(peak).toBeLessThan(2 * size);
  }, 240_000);

  it("is refused by its size when it is one text", async () => {
    const server = closing(
      await faultServer(streaming(`${opening},"choices":[{"index":0,"text":"`, "x".repeat(mebibyte), '"}]}')),
    );
    const { outcome, peak } = await askFromChild(server.url, 256);
    expect(outcome).toBe("response_too_large");
    expect(peak).toBeLessThan(2 * size);
  }, 240_000);
});
