import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { residua, serveTiny } from "./residua-process.ts";

describe("residua selftest", () => {
  test("tests the embedded server, the last layer too, and prints a line for each check", async () => {
    const { code, stdout, stderr } = await residua(["selftest", "--checks", "S1,s19"]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^S1 {3}pass +layers come as asked, ascending$/m);
    expect(stdout).toMatch(/^S19 {2}pass +the last layer is before the final norm$/m);
    expect(stdout).toMatch(/^fingerprint: [0-9a-f]{64}$/m);
    expect(stderr).toContain("2/2 S19");
  });

  test("reads a server of the profile vllm", async () => {
    const { code, stdout, stderr } = await residua([
      "selftest",
      "--profile",
      "vllm",
      "--checks",
      "S13",
      "--json",
    ]);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      fingerprint: { profile: "vllm", version: "0.30.0" },
      results: [{ code: "S13", status: "pass" }],
      failed: [],
    });
  });

  describe("at a server that misplaces positions", () => {
    let serving: Awaited<ReturnType<typeof serveTiny>>;
    beforeAll(async () => {
      serving = await serveTiny(["--quirk", "chunk-relative-positions"]);
    });
    afterAll(async () => {
      serving.child.kill("SIGTERM");
      await serving.finished;
    });
    const ask = (...words: string[]) =>
      residua(["selftest", "--checks", "S4,S7", "--base-url", serving.url, ...words]);

    test("ends with 0 for a plan that needs none, with the verdict", async () => {
      const { code, stdout } = await ask("--json");
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        results: [{ status: "pass" }, { status: "fail" }],
        failed: [],
      });
    });

    test("ends with 3 for a plan that needs them, and prints everything all the same", async () => {
      const { code, stdout, stderr } = await ask("--json", "--needs", "steering,positions");
      expect(code).toBe(3);
      expect(JSON.parse(stdout)).toMatchObject({
        needs: ["steering", "positions"],
        failed: ["S7"],
        unmet: [
          { need: "steering", reason: "S5, S15, S18 did not run" },
          { need: "positions", reason: expect.stringMatching(/^S7 failed/) as unknown },
        ],
      });
      expect(stderr).toContain("residua: steering cannot be relied on here: S5, S15, S18 did not run");
      expect(stderr).toContain("; positions cannot be relied on here: S7 failed");
    });
  });

  test("ends with 3 for a need none of whose checks ran", async () => {
    const { code, stderr } = await residua(["selftest", "--checks", "S3", "--needs", "capture"]);
    expect(code).toBe(3);
    expect(stderr).toContain("capture cannot be relied on here: S1, S2, S15, S17, S18 did not run");
  });

  test.each([
    [["--needs", "luck"], '--needs: "luck" is not allowed; give some of capture, steering'],
    [["--checks", "S20"], "S20"],
    [["--profile", "octoai"], "octoai"],
  ])("%j is refused in words", async (words, message) => {
    const { code, stderr } = await residua(["selftest", ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  test("other commands reach a server of the profile vllm", async () => {
    const words = ["capture", "--profile", "vllm", "--prompt", "Rome is", "--layers", "0,2", "--json"];
    const { code, stdout, stderr } = await residua(words);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ layers: [0, 2] });
  });

  test("a capture takes all layers of a vLLM server, whose catalogue states no number of them", async () => {
    const serving = await serveTiny(["--profile", "vllm"]);
    try {
      const words = [
        "capture",
        "--prompt",
        "hello",
        "--base-url",
        serving.url,
        "--profile",
        "vllm",
        "--json",
      ];
      const { code, stdout, stderr } = await residua(words);
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ layers: [0, 1, 2, 3, 4, 5] });
    } finally {
      serving.child.kill("SIGTERM");
      await serving.finished;
    }
  });
});
