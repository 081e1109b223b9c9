import type { ClientCore } from "./client-core.ts";
import type { Completions, RequestOptions } from "./client-types.ts";
import { repeatCompletion, type RepeatOptions } from "./repeat/repeat-completion.ts";
import { checkRequest } from "./requests/check-request.ts";
import { type CompletionRequest, promptCount } from "./requests/completion-request.ts";
import { APIPromise, type WithResponse } from "./responses/api-promise.ts";
import type { Completion } from "./responses/completion.ts";
import { parseCompletion } from "./responses/parse-completion.ts";
import type { CompletionStream } from "./streams/completion-stream.ts";
import { openCompletionStream } from "./streams/open-completion-stream.ts";
import type { AnswerHead } from "./transport/send-request.ts";

/** The completions of a client. */
export function makeCompletions(core: ClientCore): Pick<Completions, "create" | "repeat"> {
  function callOf(request: CompletionRequest) {
    const checked = checkRequest(request);
    const repeatable = checked.temperature === 0 || checked.seed !== undefined;
    const shape = { prompts: promptCount(checked.prompt), n: checked.n ?? 1 };
    return {
      shape,
      call: { method: "POST", path: core.paths.completions, body: checked, repeatable } as const,
    };
  }

  async function whole(
    request: CompletionRequest,
    options: RequestOptions,
  ): Promise<WithResponse<Completion>> {
    const { call, shape } = callOf(request);
    const answer = await core.send(call, options);
    const completion = parseCompletion(answer, shape);
    core.notice(request.model, completion, answer.requestID);
    return withHead(answer, completion);
  }

  async function streamed(
    request: CompletionRequest,
    options: RequestOptions,
  ): Promise<WithResponse<CompletionStream>> {
    const { call, shape } = callOf(request);
    const { answer, stream } = await openCompletionStream(core, call, shape, options);
    return withHead(answer, stream);
  }

  function create(request: CompletionRequest, options: RequestOptions = {}) {
    return new APIPromise<Completion | CompletionStream>(
      request.stream === true ? streamed(request, options) : whole(request, options),
    );
  }

  return Object.freeze({
    create: create as Completions["create"],
    repeat: (request: CompletionRequest, options?: RepeatOptions) =>
      repeatCompletion((one, each) => whole(one, each).then(({ data }) => data), request, options),
  });
}

function withHead<T>({ status, headers, requestID }: AnswerHead, data: T): WithResponse<T> {
  return { data, response: { status, headers }, requestID };
}
