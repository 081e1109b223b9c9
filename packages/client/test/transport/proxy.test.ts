import { createServer, type IncomingMessage, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createClient, ResiduaError } from "../../src/index.ts";
import { proxyFor } from "../../src/transport/proxy.ts";
import { caught, closing, request } from "../client-support.ts";
import { answer, faultServer, json } from "../fault-server.ts";

afterEach(() => void vi.unstubAllEnvs());

const of = (origin: string, environment: Record<string, string>, option?: string | false) =>
  proxyFor(origin, option, (name) => environment[name])?.origin;

describe("proxyFor", () => {
  it("reads the environment by scheme, small letters first", () => {
    const environment = { HTTP_PROXY: "http://a:1", http_proxy: "http://b:2", HTTPS_PROXY: "c:3" };
    expect(of("http://h", environment)).toBe("http://b:2");
    expect(of("https://h", environment)).toBe("http://c:3");
    expect(of("https://h", { HTTP_PROXY: "http://a:1" })).toBeUndefined();
    expect(of("http://h", { HTTP_PROXY: "", http_proxy: "" })).toBeUndefined();
  });

  it.each([
    ["*", true],
    ["api.x.org", true],
    ["x.org", true],
    [".x.org", true],
    ["*.x.org", true],
    ["other, API.X.ORG", true],
    ["a b\tapi.x.org:8443", true],
    ["api.x.org:443", false],
    ["i.x.org", false],
    ["org.x", false],
    ["", false],
    [",,", false],
  ])("no_proxy %j", (exceptions, excepted) => {
    const environment = { https_proxy: "http://p:1", no_proxy: exceptions };
    expect(of("https://api.x.org:8443", environment)).toBe(excepted ? undefined : "http://p:1");
  });

  it("never sends this machine's own address through the environment's proxy", () => {
    const environment = { HTTP_PROXY: "http://p:1" };
    for (const host of ["localhost", "127.0.0.1:8000", "127.9.9.9", "[::1]:80", "a.localhost"]) {
      expect(of(`http://${host}`, environment)).toBeUndefined();
      expect(of(`http://${host}`, environment, "http://q:2")).toBe("http://q:2");
    }
    expect(of("http://h", environment, false)).toBeUndefined();
  });

  it("keeps the password apart, and refuses an odd address without showing it", () => {
    const proxy = proxyFor("http://h", "http://me:p%40ss%2Fword@p:1", () => undefined);
    expect(proxy).toMatchObject({
      origin: "http://p:1",
      authorization: `Basic ${Buffer.from("me:p@ss/word").toString("base64")}`,
    });
    expect(proxy?.secrets).toContain("p@ss/word");
    for (const bad of ["socks5://u:hidden@p:1", "http://u:hidden@:x", "http://u:%hidden@p:1", "::hidden"]) {
      expect(() => proxyFor("http://h", bad, () => undefined)).toThrow(ResiduaError);
      expect(() => proxyFor("http://h", bad, () => undefined)).not.toThrow(/hidden/);
    }
  });
});

/** A proxy that notes what it is asked: plain requests are passed on, CONNECT is answered as told. */
async function startProxy(connect: "hang up" | "407" | "tunnel" = "hang up") {
  const asked: { line: string; authorization: string | undefined }[] = [];
  const note = ({ method, url, headers }: IncomingMessage) =>
    asked.push({ line: `${method} ${url}`, authorization: headers["proxy-authorization"] });
  const server = createServer((incoming, response) => {
    note(incoming);
    const headers = { ...incoming.headers };
    delete headers["proxy-authorization"];
    const onward = httpRequest(incoming.url ?? "", { method: incoming.method, headers }, (back) => {
      response.writeHead(back.statusCode ?? 500, back.headers);
      back.pipe(response);
    });
    onward.on("error", () => response.destroy());
    incoming.pipe(onward);
  });
  server.on("connect", (incoming, socket) => {
    note(incoming);
    socket.on("error", () => undefined);
    if (connect === "407") socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    else socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  closing({
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return { asked, host: `127.0.0.1:${port}` };
}

describe("a client behind a proxy", () => {
  it("sends plain requests through it, with its password, which shows nowhere", async () => {
    const server = closing(await faultServer((_, response) => json(response, 200, answer())));
    const { asked, host } = await startProxy();
    const client = closing(
      createClient({ baseURL: server.url, apiKey: "k", proxy: `http://me:hidden%21word@${host}` }),
    );
    expect((await client.completions.create(request)).id).toBe("cmpl-1");
    expect((await client.completions.create(request)).id).toBe("cmpl-1");
    const basic = `Basic ${Buffer.from("me:hidden!word").toString("base64")}`;
    const line = `POST ${server.url}/completions`;
    expect(asked).toEqual([line, line].map((asks) => ({ line: asks, authorization: basic })));
    expect(server.seen[0]?.headers).toMatchObject({ host: new URL(server.url).host });
    expect(inspect(client, { depth: 9, showHidden: true })).not.toMatch(/hidden/);
  });

  it("takes it from the environment, and none when told so", async () => {
    const { asked, host } = await startProxy();
    vi.stubEnv("http_proxy", `http://${host}`);
    vi.stubEnv("no_proxy", "");
    const gone = "http://completions.invalid/v1";
    const through = closing(createClient({ baseURL: gone, apiKey: "", maxRetries: 0, timeout: 400 }));
    await caught(through.completions.create(request));
    expect(asked).toHaveLength(1);
    const direct = closing(
      createClient({ baseURL: gone, apiKey: "", maxRetries: 0, proxy: false, timeout: 400 }),
    );
    await caught(direct.completions.create(request));
    expect(asked).toHaveLength(1);
  });

  it("asks for a tunnel to https, and says so when it is refused", async () => {
    const { asked, host } = await startProxy("407");
    const client = closing(
      createClient({ baseURL: "https://api.x.org/v1", apiKey: "k", proxy: `http://${host}` }),
    );
    const error = await caught(client.completions.create({ ...request, seed: 1 }));
    expect(error).toMatchObject({ code: "proxy_refused", attempts: 1 });
    expect((error as Error).message).toContain("407");
    expect(asked[0]?.line).toBe("CONNECT api.x.org:443");
  });

  it("ends, and does not knock for ever, when the proxy hangs up", async () => {
    const { asked, host } = await startProxy("hang up");
    const client = closing(
      createClient({
        baseURL: "https://api.x.org/v1",
        apiKey: "k",
        proxy: `http://${host}`,
        maxRetries: 1,
        backoff: { first: 1 },
        timeout: 2000,
      }),
    );
    const error = await caught(client.completions.create({ ...request, seed: 1 }));
    expect(error).toMatchObject({ code: "connection_error", reason: "proxy_hung_up", attempts: 2 });
    expect(asked).toHaveLength(2);
  });
});
