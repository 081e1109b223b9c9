import type { ServerResponse } from "node:http";
import { ApiError } from "@residua/engine/api";
import { defineQuirk } from "../quirk.ts";
import { socketOf } from "./socket-of.ts";

export const resetAfter500 = defineQuirk({
  name: "reset-after-500",
  wrong:
    "the request is answered 500, and then its connection is closed although the answer did not say Connection: close: what is sent on it next is lost",
  seen: "vLLM 0.30.0 (uvicorn 0.54), seen live, for every exception of a request",
  caught: {
    by: "@residua/client",
    code: "internal_error",
    note: "never sent again by itself; the next request, if its connection is lost, is sent on a new one",
  },
  act: ({ errorBody }) => ({
    instead: (context) => {
      const socket = socketOf(context);
      const { outgoing } = (context.env ?? {}) as { outgoing?: ServerResponse };
      outgoing?.once("finish", () => socket?.destroySoon());
      const requestId = context.get("requestId");
      const error = new ApiError(500, "internal_error", "EngineCore encountered an issue");
      return new Response(JSON.stringify(errorBody(error, requestId)), {
        status: 500,
        headers: { "content-type": "application/json", "x-request-id": requestId },
      });
    },
  }),
});
