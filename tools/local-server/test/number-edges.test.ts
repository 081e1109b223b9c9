import { expect, test } from "vitest";
import { allowedBy, requests, type Route, routes, schemaOf } from "./number-edge-cases.ts";

const holds = (check: () => unknown): boolean => {
  try {
    check();
    return true;
  } catch {
    return false;
  }
};

test.each(Object.entries(routes))(
  "%s: the document, the server's check and the client's agree",
  (_, route) => {
    const { check, least, client } = route;
    const schema = schemaOf(route);
    const allows = allowedBy(schema);
    const wrong: string[] = [];
    const counts = { taken: 0, refused: 0 };
    for (const { field, body } of requests(schema, least)) {
      const server = holds(() => check(body));
      counts[server ? "taken" : "refused"]++;
      const who = [
        ...(allows(body) === server ? [] : [server ? "the document refuses" : "the document allows"]),
        ...(client === undefined ? [] : differs(client, field, body, server)),
      ];
      wrong.push(...who.map((words) => `${words} ${field}: ${JSON.stringify(body).slice(0, 200)}`));
    }
    expect(wrong).toEqual([]);
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(10);
  },
);

function differs(
  { endpoint, wider }: NonNullable<Route["client"]>,
  field: string,
  body: object,
  server: boolean,
): string[] {
  // The local server keeps no longer ones.
  if (!Object.hasOwn(endpoint.fields, field) || field === "request_id") return [];
  const client = endpoint.schema.safeParse(body).success;
  if (client === server || wider === (client ? "client" : "server")) return [];
  return [`the client ${client ? "takes" : "refuses"}`];
}
