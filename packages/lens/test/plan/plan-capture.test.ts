import type { CompletionRequest } from "@residua/client";
import { describe, expect, it } from "vitest";
import { depth, layerRange } from "../../src/layers/layer-choice.ts";
import { everyToken, last, lastK, meanOf, span } from "../../src/select/selection.ts";
import { lensAt } from "../lens-at.ts";
import { rightAnswer, tiny } from "../replay-server.ts";
import { lensWithLimit } from "./small-limit.ts";

/** Rows that are each prompt's own. */
const own = (sent: CompletionRequest) =>
  rightAnswer(sent, {
    change: (values) => values.forEach((value, i) => (values[i] = value + 512 * (sent.prompt ?? "").length)),
  });
const exactly = (value: number) => ({ least: value, most: value });
const ids = (tokens: number) => Array.from({ length: tokens }, (_, i) => i + 1);

describe("planCapture", () => {
  it("counts with the model's context: what has no room there does not fit, as when it is sent", async () => {
    const context = (length: number) => [
      { ...tiny, capabilities: { ...tiny.capabilities, max_model_len: length } },
    ];
    const { lens, server } = await lensAt(own, context(20));
    const prompts = [ids(17), ids(18), ids(200), "a".repeat(17), "a".repeat(400)];
    const plan = await lens.planCapture({
      model: "tiny",
      prompts,
      layers: [1],
      max_tokens: 3,
      countTokens: false,
    });
    expect(plan.captures.map(({ fits, requests }) => [fits, requests])).toEqual([
      ["fits", [[1]]],
      ["never", []],
      ["never", []],
      ["unknown", [[1]]],
      ["unknown", [[1]]],
    ]);
    expect(plan.tooLarge).toEqual([1, 2]);
    expect(plan.requests).toBe(3);
    expect(plan.captures[1]?.reason).toBe(
      "18 prompt tokens + 3 max_tokens = 21, over the 20 tokens of the model's context (shorten the prompt or lower max_tokens)",
    );
    expect(plan.captures[3]?.reason).toMatch(/^at most 18 prompt tokens \+ 3 max_tokens = 21, over the 20 /);
    for (const { request, fits } of plan.captures.slice(0, 3)) {
      const sent = await lens.capture(request).then(
        () => "fits",
        (error: Error) => error.message,
      );
      if (fits === "fits") expect(sent).toBe("fits");
      else expect(sent).toContain("over the 20 tokens of the model's context");
    }
    expect(server.requests).toHaveLength(1);
  });

  it("says what captures come to, on both sides of the limit, and what can never fit", async () => {
    // 2 layers × (6 + 2) × 8 = 128 fit; with 7 + 2 tokens only one layer does; 15 + 2 tokens have no room.
    const { lens, server } = await lensWithLimit(128, own);
    const prompts = [ids(6), ids(7), ids(15), ids(14)];
    const plan = await lens.planCapture({ model: "tiny", prompts, layers: [depth(1), 0], max_tokens: 2 });
    expect(plan.captures.map(({ fits, requests }) => [fits, requests])).toEqual([
      ["fits", [[0, 4]]],
      ["fits", [[0], [4]]],
      ["never", []],
      ["fits", [[0], [4]]],
    ]);
    expect(plan.tooLarge).toEqual([2]);
    expect(plan.captures[2]?.reason).toMatch(
      /^2 layers × \(15 prompt tokens \+ 2 max_tokens\) × 8 hidden size = 272 numbers/,
    );
    expect(plan.requests).toBe(5);
    // Positions: prompt, and one generated token more at most.
    expect(plan.numbers).toEqual({ least: 16 * (6 + 7 + 14), most: 16 * (7 + 8 + 15) });
    expect(plan.wireBytes?.most).toBeCloseTo(2.1 * 16 * 30);
    expect(plan.diskBytes).toEqual({ least: 2 * 16 * 27, most: 2 * 16 * 30 });
    expect(server.requests).toEqual([]);
    for (const { request, index } of plan.captures) {
      if (!plan.tooLarge.includes(index)) expect((await lens.capture(request)).layers).toEqual([0, 4]);
    }
    expect(server.requests).toHaveLength(plan.requests);
  });

  it("counts what a selection keeps", async () => {
    const { lens } = await lensWithLimit(1e6, rightAnswer);
    const asked = { model: "tiny", prompts: [ids(6), ids(9)], layers: layerRange(1, 2), max_tokens: 3 };
    const disk = async (select: Parameters<typeof lens.planCapture>[0]["select"]) =>
      (await lens.planCapture({ ...asked, select: select! })).diskBytes;
    const row = 2 * 8 * 2;
    expect(await disk(last)).toEqual(exactly(2 * row));
    expect(await disk(lastK(7))).toEqual({ least: row * (6 + 7), most: row * 14 });
    expect(await disk(meanOf(everyToken))).toEqual(exactly(4 * row));
    expect(await disk({ end: last, mean: meanOf(everyToken) })).toEqual(exactly(6 * row));
    expect(await disk(span({ text: "x" }))).toEqual({ least: 2 * row, most: 15 * row });
    expect(await disk(span({ role: "prompt" }))).toEqual(exactly(15 * row));
    expect(await disk(span({ role: "generated" }))).toEqual({ least: 0, most: 4 * row });
    expect(await disk(span({ tokens: { from: 1, to: 4 } }))).toEqual(exactly(6 * row));
    expect(await disk(everyToken)).toEqual({ least: 15 * row, most: 19 * row });
  });

  it("never invents a time: unknown, then measured, or as stated", async () => {
    const { lens } = await lensWithLimit(1e6, rightAnswer);
    const asked = { model: "tiny", prompts: [ids(6), ids(9)], layers: [1] };
    const before = await lens.planCapture(asked);
    expect([before.seconds, before.rate]).toEqual([undefined, undefined]);
    expect(before.basis.seconds).toMatch(/^not known: /);
    const stated = await lens.planCapture({ ...asked, rate: { seconds: 3, positions: 30 } });
    expect(stated.seconds).toEqual(exactly(1.5));
    expect(stated.basis.seconds).toBe("30 positions in 3.00 s (stated), one request at a time");
    await lens.capture({ model: "tiny", prompt: ids(5), layers: [1] });
    const after = await lens.planCapture(asked);
    expect(after.rate).toMatchObject({ requests: 1, positions: 5, numbers: 40 });
    const { seconds } = after.rate!;
    expect(after.seconds?.least).toBeCloseTo(2 * seconds);
    expect(after.seconds?.most).toBeCloseTo(3 * seconds);
    expect(after.basis.seconds).toContain("(measured by this lens)");
    const again = await lens.planCapture({ ...asked, rate: after.rate! });
    expect(again.seconds).toEqual(after.seconds);
    await expect(lens.planCapture({ ...asked, rate: { seconds: 0, requests: 1 } })).rejects.toMatchObject({
      code: "invalid_option",
    });
  });

  it("has bounds for texts, and nothing where the width or the depth is not known", async () => {
    const { lens } = await lensWithLimit(2 ** 25, rightAnswer);
    const text = await lens.planCapture({ model: "tiny", prompts: ["né"], layers: [0] });
    expect(text.numbers).toEqual({ least: 8, most: 32 });
    expect(text.basis.tokens).toBe("1 prompts bounded by their UTF-8 bytes");
    const unknown = await lens.planCapture({
      model: "tiny-uncatalogued",
      prompts: [ids(3)],
      layers: "all",
      rate: { seconds: 1, requests: 2, numbers: 5 },
    });
    expect(unknown.captures[0]).toMatchObject({ fits: "unknown", requests: ["all"], numbers: undefined });
    expect(unknown.captures[0]?.reason).toBe("the model's number of layers is not known");
    expect([unknown.numbers, unknown.wireBytes, unknown.diskBytes]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(unknown.basis.numbers).toContain("tiny-uncatalogued: hidden size not known: state it");
    expect(unknown.seconds).toEqual(exactly(0.5));
    expect(unknown.rate).toEqual({ seconds: 1, requests: 2 });
  });

  it("counts every layer of a server that gives them all, and cannot split there", async () => {
    const { lens, server } = await lensWithLimit(160, rightAnswer, {}, { gives: "all" });
    const plan = await lens.planCapture({ model: "tiny", prompts: [ids(3), ids(4)], layers: [1] });
    // 5 layers × (3 + 1) × 8 = 160.
    expect(plan.captures.map(({ fits }) => fits)).toEqual(["fits", "never"]);
    expect(plan.numbers).toEqual(exactly(5 * 3 * 8));
    expect(plan.diskBytes).toEqual(exactly(3 * 8 * 2));
    await expect(
      lens.capture({ model: "tiny", prompt: ids(4), layers: [1], split: true }),
    ).rejects.toMatchObject({
      code: "capture_too_large",
    });
    expect(server.requests).toEqual([]);
  });

  it("takes requests that differ, and names the one that cannot be", async () => {
    const { lens } = await lensWithLimit(128, rightAnswer);
    const plan = await lens.planCapture({
      model: "tiny",
      layers: [1],
      requests: [{ prompt: ids(2) }, { prompt: ids(3), layers: [0, 2], max_tokens: 4 }],
    });
    expect(plan.captures.map(({ requests }) => requests)).toEqual([[[1]], [[0, 2]]]);
    const bad = (requests: object[]) => lens.planCapture({ model: "tiny", requests } as never);
    await expect(bad([{ prompt: ids(2), layers: [1] }, { prompt: ids(2) }])).rejects.toThrow(
      "requests[1].layers",
    );
    await expect(bad([{ prompt: ids(14), layers: [1, 2], temperature: 1 }])).rejects.toThrow(
      "requests[0].split",
    );
    await expect(lens.planCapture({ model: "tiny", layers: [1] })).rejects.toThrow("prompts or requests");
    await expect(lens.planCapture({ model: "tiny", layers: [1], prompts: [] })).rejects.toThrow(
      "at least one",
    );
  });
});
