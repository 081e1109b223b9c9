import type { ServerResponse } from "node:http";
import { type FaultServer, faultServer, json, type Script } from "../fault-server.ts";

/** A server that answers a job's routes with these, one after the other; the last one stays. */
export async function jobServer(routes: Readonly<Record<string, readonly Reply[]>>): Promise<FaultServer> {
  const at = new Map<string, number>();
  const script: Script = async ({ method, path, body }, response) => {
    const route = `${method} ${path.replace("/v1/jobs/completions", "")}`;
    const replies = routes[route];
    if (replies === undefined)
      return json(response, 404, { error: { message: "nothing here", code: "job_not_found" } });
    const nth = at.get(route) ?? 0;
    at.set(route, nth + 1);
    const reply = replies[Math.min(nth, replies.length - 1)];
    if (typeof reply === "function") await reply(response, body);
    else json(response, 200, reply);
  };
  return faultServer(script);
}

type Reply = object | ((response: ServerResponse, body: string) => unknown);

export const failWith =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    json(response, status, { error: { message: `${code} it is`, code } }, headers);

export const hangUp = (response: ServerResponse) => response.socket?.destroy();

export const jobOf = (status: string, extra: object = {}) => ({
  job_id: "job_1",
  object: "completion.job",
  status,
  model: "llama-8b",
  created_at: 1791780733,
  started_at: null,
  completed_at: null,
  usage: null,
  error: null,
  ...extra,
});
