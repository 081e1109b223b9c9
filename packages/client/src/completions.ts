import type { ClientCore } from "./client-core.ts";
import type { Completions, RequestOptions } from "./client-types.ts";
import { repeatCompletion, type RepeatOptions } from "./repeat/repeat-completion.ts";
import { type CompletionRequest, shapeOf } from "./requests/completion-request.ts";
import { completionEndpoints } from "./requests/endpoints/endpoints.ts";
import { withoutExtraFields } from "./requests/extra-fields.ts";
import type { RequestChecker } from "./requests/make-request-checker.ts";
import type { ProfileName } from "./profiles.ts";
import { APIPromise, type WithResponse } from "./responses/api-promise.ts";
import type { Completion } from "./responses/completion.ts";
import { parseCompletion } from "./responses/parse-completion.ts";
import type { CompletionStream } from "./streams/completion-stream.ts";
import { openCompletionStream } from "./streams/open-completion-stream.ts";
import type { AnswerHead } from "./transport/send-request.ts";

/** The completions of a client. */
export function makeCompletions<P extends ProfileName>(
  core: ClientCore,
  checker: RequestChecker,
): Pick<Completions<P>, "create" | "check" | "repeat"> {
  const endpoint = completionEndpoints[core.profile];

  async function callOf(request: CompletionRequest<ProfileName>, options: RequestOptions) {
    const { known, extra } = withoutExtraFields(request, core.extraFields);
    const prepared = (await core.prepare(known, endpoint, options)) as CompletionRequest<"vllm">;
    const checked = { ...prepared, ...extra };
    const repeatable = checked.temperature === 0 || (checked.seed ?? -1) >= 0;
    return {
      shape: shapeOf(checked),
      call: { method: "POST", path: core.paths.completions, body: checked, repeatable } as const,
    };
  }

  async function whole(
    request: CompletionRequest<ProfileName>,
    options: RequestOptions,
  ): Promise<WithResponse<Completion>> {
    const { call, shape } = await callOf(request, options);
    const answer = await core.send(call, options);
    const completion = parseCompletion(answer, shape);
    core.notice(request.model ?? undefined, completion, answer.requestID);
    return withHead(answer, completion);
  }

  async function streamed(
    request: CompletionRequest<ProfileName>,
    options: RequestOptions,
  ): Promise<WithResponse<CompletionStream>> {
    const { call, shape } = await callOf(request, options);
    const { answer, stream } = await openCompletionStream(core, call, shape, options);
    return withHead(answer, stream);
  }

  function create(request: CompletionRequest<ProfileName>, options: RequestOptions = {}) {
    return new APIPromise<Completion | CompletionStream>(
      // What is no object is refused as any other request that cannot be sent, by the promise.
      (request as Partial<typeof request> | null)?.stream === true
        ? streamed(request, options)
        : whole(request, options),
    );
  }

  return Object.freeze({
    create: create as Completions<P>["create"],
    check: (request: object, options?: RequestOptions) =>
      checker.check(withoutExtraFields(request, core.extraFields).known, endpoint, options),
    repeat: (request: CompletionRequest<ProfileName>, options?: RepeatOptions) =>
      repeatCompletion((one, each) => whole(one, each).then(({ data }) => data), request, options),
  });
}

function withHead<T>({ status, headers, requestID }: AnswerHead, data: T): WithResponse<T> {
  return { data, response: { status, headers }, requestID };
}
