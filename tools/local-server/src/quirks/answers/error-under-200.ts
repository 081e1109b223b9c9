import { defineQuirk } from "../quirk.ts";
import { gatewayError } from "./gateway-error.ts";

export const errorUnder200 = defineQuirk({
  name: "error-under-200",
  wrong: 'the status is 200 and the body {"error": …}',
  seen: "an earlier version of the hosted API, where a boot failed after the status had been sent",
  caught: { by: "@residua/client", code: "vllm_oom" },
  act: () => ({
    instead: (context) =>
      gatewayError(context, {
        status: 200,
        code: "vllm_oom",
        type: "upstream_error",
        message: "the model's server has no memory left for this request",
        more: { upstream_status: 500, retryable: false },
      }),
  }),
});
