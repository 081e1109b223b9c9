import { judge, notApplicable, notTried } from "../findings.ts";
import type { Finding, SelfTestCheck } from "../self-test-check.ts";
import type { SelfTestContext } from "../self-test-context.ts";

/** S11. */
export const streams: SelfTestCheck = {
  code: "S11",
  title: "capture of what is streamed",
  means: {
    pass: "a stream brings the whole capture, or is refused",
    fail: "a stream drops the capture, or a part of its rows, under a 200; lens never streams a capture",
  },
  decides: ["streams"],
  requests: 3,
  run: async (context) => [await completionStream(context), await chatStream(context)],
};

async function completionStream({ raw, bodyOf, text, steered, shapeOf }: SelfTestContext): Promise<Finding> {
  const body = { ...bodyOf({ prompt: text, layers: [steered], maxTokens: 3 }), stream: true };
  const answer = await raw({ method: "POST", path: "/completions", body, bytes: true });
  if (answer.refused)
    return judge(
      true,
      `a streamed completion: refused with ${answer.refused.status}`,
      {},
      { streams: "refused" },
    );
  const events = eventsOf(answer.body);
  if (hasError(events)) return judge(true, "a streamed completion: an error", {}, { streams: "refused" });
  const rows = events.map(shapeOf).find(Boolean)?.[1];
  return judge(
    rows !== undefined,
    `a streamed completion: 200, ${rows === undefined ? "no capture" : `${rows} rows`}`,
    { streamedRows: rows ?? 0 },
    { streams: rows === undefined ? "dropped" : "taken" },
  );
}

/** Chats of vLLM: the same request streamed and not. */
async function chatStream({ raw, bodyOf, core, steered, shapeOf, goOn }: SelfTestContext): Promise<Finding> {
  if (core.client.profile !== "vllm") return notApplicable("this kind of server is not asked to chat");
  const { prompt: _prompt, ...ask } = bodyOf({
    prompt: "",
    layers: [steered],
    maxTokens: 4,
    fields: goOn,
  }) as {
    prompt: string;
  };
  const body = { ...ask, messages: [{ role: "user", content: "The city of Rome is in" }] };
  const chat = { method: "POST", path: "/chat/completions" } as const;
  const whole = await raw({ ...chat, body });
  if (whole.refused)
    return notTried(
      `streamed chats were not tested: a chat that is not streamed is refused with ${whole.refused.status}, as by a model without a chat template`,
    );
  const streamed = await raw({ ...chat, body: { ...body, stream: true }, bytes: true });
  if (streamed.refused) return judge(true, `a streamed chat: refused with ${streamed.refused.status}`);
  const expected = shapeOf(whole.body)?.[1] ?? 0;
  const events = eventsOf(streamed.body);
  if (hasError(events)) return judge(true, "a streamed chat: an error");
  const rows = events.map(shapeOf).find(Boolean)?.[1] ?? 0;
  return judge(rows === expected && rows > 0, `a chat: ${expected} rows, and ${rows} where it is streamed`, {
    chatRows: expected,
    chatStreamedRows: rows,
  });
}

/** The JSON of a stream's events, or of an answer that is none. */
function eventsOf(bytes: unknown): unknown[] {
  const text = bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : "";
  return text.split(/\r\n|\n|\r/).flatMap((line) => {
    const data = /^(?:data: ?| *)(\{.*)$/.exec(line)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as unknown];
  });
}

const hasError = (events: readonly unknown[]): boolean =>
  events.some((event) => (event as { error?: unknown }).error !== undefined);
