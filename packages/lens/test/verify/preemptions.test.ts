import { describe, expect, it } from "vitest";
import { exchange } from "../replay-server.ts";
import { vllmAt } from "../recorded/vllm-replay.ts";

const metric = (count: number, engine = 0) =>
  `vllm:num_preemptions_total{engine="${engine}",model_name="smollm2"} ${count}.0\n`;

async function checkOf(texts: (string | undefined)[]) {
  const { lens } = await vllmAt(
    ({ path }) => {
      if (path === "/v1/completions") return { body: exchange("cap_L2_max4").response_body };
      const text = path === "/metrics" ? texts.shift() : undefined;
      return text === undefined ? undefined : { body: text };
    },
    { watchPreemptions: true },
  );
  const request = { prompt: "The capital of France is", layers: [2], max_tokens: 4 };
  const capture = await lens.capture(request);
  return capture.checks.find(({ code }) => code === "preemptions");
}

describe("C13: the server's count of preempted requests", () => {
  it("that stays is a pass", async () => {
    const text = `# HELP vllm:num_preemptions_total x\n${metric(3)}${metric(2, 1)}vllm:num_preemptions_created 1.7e9\n`;
    expect(await checkOf([text, text])).toMatchObject({ status: "pass" });
  });

  it("that grows may be another request's: told", async () => {
    expect(await checkOf([metric(3), metric(5)])).toMatchObject({
      status: "unverified",
      detail: expect.stringContaining("preempted 2 requests meanwhile") as string,
    });
  });

  it("that cannot be read is told", async () => {
    expect((await checkOf([]))?.status).toBe("unverified");
    expect((await checkOf([metric(1), "nothing"]))?.status).toBe("unverified");
  });

  it("is not read unasked", async () => {
    const { lens, server } = await vllmAt(({ path }) =>
      path === "/v1/completions" ? { body: exchange("cap_L2_max4").response_body } : undefined,
    );
    await lens.capture({ prompt: "The capital of France is", layers: [2], max_tokens: 4 });
    expect(server.asked.map(({ path }) => path)).not.toContain("/metrics");
  });
});
