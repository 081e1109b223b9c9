import { expect, test } from "vitest";
import { refuseOthers } from "../src/server/refuse-others.ts";

const own = { port: 4000, secret: "s3cret" };
const ask = (headers: Record<string, string>, { method = "POST", path = "/s3cret/tokens" } = {}) =>
  refuseOthers({ method, headers: { host: "127.0.0.1:4000", ...headers }, path }, own);

test.each([
  ["a request without a browser", {}],
  ["the page's own request", { origin: "http://127.0.0.1:4000", "sec-fetch-site": "same-origin" }],
  ["the page opened as localhost", { host: "localhost:4000", origin: "http://localhost:4000" }],
  ["a typed address", { "sec-fetch-site": "none" }],
])("%s passes", (_, headers) => {
  expect(ask(headers)).toBeNull();
});

test.each([
  ["a name that was made to point here", { host: "evil.example:4000" }],
  ["another port's name", { host: "127.0.0.1:4001" }],
  ["no port", { host: "127.0.0.1" }],
  ["a name that begins with ours", { host: "127.0.0.1:4000.evil.example" }],
  ["another site's form", { origin: "https://evil.example" }],
  ["a page without an origin (a sandboxed frame)", { origin: "null" }],
  ["another server of this machine", { origin: "http://127.0.0.1:8888" }],
  ["our other name's origin", { host: "localhost:4000", origin: "http://127.0.0.1:4000" }],
  ["an image of another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" }],
  ["a page of another port", { "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" }],
])("%s is refused with 403", (_, headers) => {
  expect(ask(headers)?.status).toBe(403);
});

test("a followed link opens a page, and posts nothing", () => {
  const followed = {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
  };
  expect(ask(followed, { method: "GET" })).toBeNull();
  expect(ask(followed)?.status).toBe(403);
  expect(ask({ ...followed, "sec-fetch-dest": "iframe" }, { method: "GET" })?.status).toBe(403);
});

test.each(["/", "/tokens", "/s3cre/tokens", "/s3crets/tokens", "/S3CRET/tokens", "//s3cret/tokens"])(
  "%s has not the secret: 404",
  (path) => {
    expect(ask({}, { path })?.status).toBe(404);
  },
);
