import type { Call, ClientCore } from "../client-core.ts";
import type { RequestOptions } from "../client-types.ts";
import { parseCompletion } from "../responses/parse-completion.ts";
import type { OpenAnswer } from "../transport/send-request.ts";
import type { CompletionChunk } from "./completion-chunk.ts";
import type { Shape } from "./completion-collector.ts";
import { CompletionStream } from "./completion-stream.ts";
import { EventChunks } from "./event-chunks.ts";
import { followSignal } from "../transport/follow-signal.ts";
import { readLongestEvent } from "./longest-event.ts";

/** Sends a request for a stream, and gives the stream once its headers have come. Throws as `core.open` does. */
export async function openCompletionStream(
  core: ClientCore,
  call: Call,
  shape: Shape,
  { signal, ...options }: RequestOptions,
): Promise<{ answer: OpenAnswer; stream: CompletionStream }> {
  const longestEvent = readLongestEvent(options.longestEvent, core.longestEvent);
  const controller = new AbortController();
  const onEnd = followSignal(signal, controller);
  try {
    const answer = await core.open(call, { ...options, signal: controller.signal });
    const total = shape.prompts * shape.n;
    const { status, requestID } = answer;
    const onChunk = noticer(core, call, requestID);
    const source = new EventChunks(answer, { controller, total, longestEvent, onEnd, onChunk });
    const read = (body: object, of: Shape) => parseCompletion({ ...answer, body }, of);
    return { answer, stream: new CompletionStream({ source, controller, shape, read, status, requestID }) };
  } catch (error) {
    onEnd();
    throw error;
  }
}

/** Tells the client of the chunks that say something new of the server: few of many. */
function noticer(
  core: ClientCore,
  { body }: Call,
  requestID: string | undefined,
): (chunk: CompletionChunk) => void {
  const asked = (body as { model?: string } | undefined)?.model;
  let model: string | undefined;
  let fingerprint: string | null | undefined;
  return (chunk) => {
    const said = chunk.system_fingerprint ?? fingerprint;
    if ((chunk.model ?? model) === model && said === fingerprint) return;
    model = chunk.model ?? model;
    fingerprint = said;
    core.notice(asked, chunk, requestID);
  };
}
