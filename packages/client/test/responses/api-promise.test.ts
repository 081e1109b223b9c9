import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { APIError, APIPromise } from "../../src/index.ts";
import { caught, setup } from "../client-support.ts";
import { answer, json } from "../fault-server.ts";

const request = { model: "llama-8b", prompt: "The sky is" };
const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => void process.on("unhandledRejection", note));
afterEach(async () => {
  // Unhandled rejections are told after the microtasks.
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off("unhandledRejection", note);
  expect(unhandled.splice(0)).toEqual([]);
});

const echoing = () =>
  setup(({ body }, response) =>
    body.includes("refuse")
      ? json(
          response,
          400,
          { error: { message: "no", type: "x", code: "invalid_request" } },
          { "x-request-id": "r2" },
        )
      : json(response, 200, answer(), { "x-request-id": "r1", "x-acs-upstream-gpu": "8xH200" }),
  );

describe("an answer", () => {
  it("is the data by await, then, finally and Promise.all, each a plain promise", async () => {
    const { client } = await echoing();
    expect((await client.completions.create(request)).id).toBe("cmpl-1");
    const chained = client.completions.create(request).then(({ id }) => id);
    expect(chained).not.toBeInstanceOf(APIPromise);
    expect(await chained).toBe("cmpl-1");
    expect((await client.completions.create(request).finally(() => undefined)).id).toBe("cmpl-1");
    const both = [client.completions.create(request), client.completions.create(request)];
    expect((await Promise.all(both)).map(({ id }) => id)).toEqual(["cmpl-1", "cmpl-1"]);
  });

  it("has the status, the headers and the request's id by withResponse, as often as asked, of one request", async () => {
    const { client, server } = await echoing();
    const promise = client.completions.create(request);
    const { data, response, requestID } = await promise.withResponse();
    expect(requestID).toBe("r1");
    expect(response).toMatchObject({ status: 200, headers: { "x-acs-upstream-gpu": "8xH200" } });
    expect((await promise.withResponse()).data).toBe(data);
    expect(await promise).toBe(data);
    expect(server.seen).toHaveLength(1);
  });
});

describe("a failure", () => {
  const bad = { ...request, user: "refuse" };
  it("rejects each promise that was taken with the same structured error, and none besides", async () => {
    const { client } = await echoing();
    const promise = client.completions.create(bad);
    const error = await caught(promise.withResponse());
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 400, code: "invalid_request", requestID: "r2", attempts: 1 });
    expect(await caught(promise)).toBe(error);
    expect(await caught(Promise.all([promise, client.completions.create(request)]))).toBe(error);
    expect(await caught(promise.then(() => 1))).toBe(error);
    expect(await caught(promise.finally(() => undefined))).toBe(error);
  });

  it("is seen by who only awaits, and by who only asks for the response", async () => {
    const { client } = await echoing();
    expect(await caught(client.completions.create(bad))).toBeInstanceOf(APIError);
    expect(await caught(client.completions.create(bad).withResponse())).toBeInstanceOf(APIError);
  });
});
