import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const module = join(import.meta.dirname, "../src/backend.ts");

/** What a process prints that starts the backend and then ends with an error. */
function endedBy(error: string) {
  const script = `
    const { startBackend } = await import(${JSON.stringify(module)});
    await startBackend();
    ${error}`;
  const args = ["--import", "tsx", "--conditions=@residua/source", "--input-type=module", "-e", script];
  return spawnSync(process.execPath, args, { encoding: "utf8" });
}

describe("startBackend", () => {
  it.each([
    ["an uncaught error", 'setTimeout(() => { throw new Error("on purpose"); });'],
    ["an unhandled rejection", 'void Promise.reject(new Error("on purpose"));'],
  ])("leaves %s to Node's own report, without the compiled source", (_, error) => {
    const { stderr, status } = endedBy(error);
    expect(status).toBe(1);
    expect(stderr).toContain("Error: on purpose");
    expect(stderr.length).toBeLessThan(4000);
  });
});
