import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type Client } from "@residua/client";
import { createLens, steeringVector } from "@residua/lens";
import { startServer } from "@residua/local-server";
import { collect, loadProbe, scoreCapture } from "@residua/analysis";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningExplorer, startExplorer } from "../src/index.ts";
import { key, makeWorld, type World } from "./support.ts";

let world: World;
let explorer: RunningExplorer;
const logged: string[] = [];
beforeAll(async () => {
  world = await makeWorld();
  const { lens, run } = world;
  explorer = await startExplorer({
    lens,
    model: "tiny",
    run,
    serverName: "embedded",
    log: (text) => logged.push(text),
  });
});
afterAll(async () => {
  await explorer.close();
  await world.close();
  expect(logged).toEqual([]);
});

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** A request whose `Host` can be anything, which fetch does not allow; on a connection of its own, which is not about to be closed. */
function send(
  path: string,
  {
    method = "GET",
    headers = {},
    fields,
  }: { method?: string; headers?: Record<string, string>; fields?: Record<string, string | undefined> } = {},
): Promise<Answer> {
  const url = new URL(path, explorer.url);
  const body = fields && new URLSearchParams(fields as Record<string, string>).toString();
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port: url.port, path: url.pathname + url.search, agent: false, method, headers },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

const form = { "content-type": "application/x-www-form-urlencoded" };
const post = (
  path: string,
  fields: Record<string, string | undefined>,
  headers: Record<string, string> = {},
) => send(path, { method: "POST", fields, headers: { ...form, ...headers } });
const probe = "probe:probes/truth-3.json";
const claim = "The city of Rome is in Asia. Verdict:";

describe("who may ask", () => {
  test("a page of a name that points here gets nothing of the run", async () => {
    const answer = await send("rows", { headers: { host: "evil.example" } });
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain("Residua explorer");
  });

  test("another site's form reaches no model", async () => {
    const before = world.model.stats().generatedTokens;
    const fields = { prompt: claim, scorer: probe };
    expect((await post("steer", fields, { origin: "https://evil.example" })).status).toBe(403);
    expect((await post("/wrong/steer", fields)).status).toBe(404);
    expect(world.model.stats().generatedTokens).toBe(before);
  });

  test("it listens on loopback alone", () => {
    expect(new URL(explorer.url).hostname).toBe("127.0.0.1");
    expect(explorer.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{24}\/$/);
  });

  test("every answer forbids frames, foreign code and foreign addresses", async () => {
    for (const path of ["tokens", "explorer.js", "explorer.css", "absent", "/"]) {
      const { headers } = await send(path);
      const policy = String(headers["content-security-policy"]);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain("unsafe");
      expect(headers["referrer-policy"]).toBe("same-origin");
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    }
  });

  test("the key of the server is in no answer", async () => {
    const answers = [
      await send("tokens"),
      await send("explorer.js"),
      await send("explorer.css"),
      await send("rows"),
      await post("tokens", { prompt: claim }),
      await post("steer", { prompt: claim, scale: "1" }),
      await post("tokens", { prompt: key.repeat(400) }),
    ];
    // The last one is a prompt of its own, which comes back in the form.
    expect(answers.slice(0, -1).map(({ text }) => text.includes(key))).toEqual(
      answers.slice(0, -1).map(() => false),
    );
  });
});

describe("answers", () => {
  test("a token's score is the probe's on the same capture", async () => {
    const { text, status } = await post(
      "tokens",
      { prompt: claim, scorer: probe, layer: "4" },
      { "x-residua-fragment": "1" },
    );
    expect(status).toBe(200);
    const capture = await world.lens.capture({ model: "tiny", prompt: claim, layers: [4], max_tokens: 1 });
    const { scores } = scoreCapture(await loadProbe(join(world.run, "probes", "truth-4.json")), capture);
    const shown = [...text.matchAll(/position (\d+), [^"]*?score (−?[\d.]+)"/gs)];
    expect(shown.map((match) => Number(match[1]))).toEqual([...scores.keys()]);
    shown.forEach((match, i) => expect(Number(match[2]!.replace("−", "-"))).toBeCloseTo(scores[i]!, 1));
    expect(text).toContain("no score");
  });

  test("the steered text is what the lens gives at that scale, and the plain one at scale 0", async () => {
    const fields = {
      prompt: claim,
      scorer: "direction:directions/truth.safetensors",
      layer: "4",
      scale: "2",
      tokens: "6",
    };
    const { text } = await post("steer", fields, { "x-residua-fragment": "1" });
    const shown = [...text.matchAll(/<pre class="text".*?<\/pre/gs)].map(([pre]) =>
      pre.replace(/<[^>]*>?/g, ""),
    );
    const direction = (await explorer.explorer.run!.scorers.find(({ id }) => id === fields.scorer)!.at(4))
      .direction;
    if (typeof direction === "string") throw new Error(direction);
    for (const [i, scale] of [0, 2].entries()) {
      const vector = direction.vector.map((x) => x * scale);
      const request = { model: "tiny", prompt: claim, max_tokens: 6, temperature: 0, seed: 0 };
      const steering = scale === 0 ? [] : [steeringVector({ rows: { 4: vector } })];
      const own = await world.lens.generate({ ...request, steering });
      expect(shown[i]).toBe(claim + own.choices[0]!.text);
    }
    expect(shown[0]).not.toBe(shown[1]);
    expect(text).toContain("times as long as the stream itself");
  });

  test("a vLLM server with vllm-lens is asked alike", async () => {
    const server = await startServer({ model: world.model, profile: "vllm" });
    const client = createClient({ baseURL: server.url, apiKey: "", profile: "vllm" }) as unknown as Client;
    const lens = createLens(client);
    const own = await startExplorer({ lens, model: "tiny", run: world.run, serverName: "vllm" });
    const ask = async (path: string, fields: Record<string, string>) => {
      const body = new URLSearchParams({ prompt: claim, layer: "4", ...fields });
      const headers = { "x-residua-fragment": "1" };
      const there = await fetch(new URL(path, own.url), { method: "POST", body, headers });
      return [await there.text(), (await post(path, { prompt: claim, layer: "4", ...fields }, headers)).text];
    };
    for (const unit of ["vector", "stream"]) {
      const scorer = "direction:directions/truth.safetensors";
      const [there, here] = await ask("steer", { scorer, scale: "0.8", unit, tokens: "4" });
      expect(there).toContain("true");
      expect(there).toBe(here);
    }
    const [there, here] = await ask("tokens", { scorer: probe });
    const scores = (text: string) => [...text.matchAll(/score (−?[\d.]+)/g)].map(([, score]) => score);
    expect(scores(there!).length).toBeGreaterThan(11);
    expect(scores(there!)).toEqual(scores(here!));
    await own.close();
    await client.close();
    await server.close();
  });

  test("hostile texts are shown, and do nothing", async () => {
    const hostile = `</textarea><script>alert(1)</script>\u202e"'\`&\n\n<img src=x onerror=alert(2)>\u0000😀`;
    for (const path of ["tokens", "steer"]) {
      const { text, status } = await post(path, { prompt: hostile, tokens: "2", scale: "1" });
      expect(status).toBe(200);
      expect(text).not.toContain("<script>alert");
      expect(text).not.toContain("<img");
      expect(text.match(/<script/g)).toHaveLength(1);
      // The field holds the prompt itself; elsewhere what reorders text is named.
      expect(text.split("</textarea")[1]).not.toContain("\u202e");
    }
    const { text } = await send(`rows?column=truth&value=${encodeURIComponent(hostile)}`);
    expect(text).not.toContain("<script>alert");
  });

  test("hostile labels and names of a dataset are shown, and do nothing", async () => {
    const hostile = `<img src=x onerror=alert(1)>"'\u202e</td></table><script>alert(2)</script>`;
    const folder = await mkdtemp(join(tmpdir(), "residua-hostile-"));
    const examples = [true, false].map((truth) => ({
      id: `${hostile} ${truth}`,
      prompt: claim,
      group: hostile,
      labels: { [`${hostile} truth`]: truth, word: truth ? hostile : "plain" },
    }));
    await collect(world.lens, examples, {
      model: "tiny",
      layers: [2],
      select: "last",
      to: join(folder, "<b>run"),
    });
    const own = await startExplorer({ lens: world.lens, model: "tiny", run: folder, serverName: "embedded" });
    const rows = await (await fetch(new URL("rows?order=high&column=word", own.url))).text();
    const link = /href="(example[^"]*)"/.exec(rows)![1]!.replaceAll("&amp;", "&").replaceAll("&#47;", "/");
    const example = await (await fetch(new URL(link, own.url))).text();
    const filter = new URLSearchParams({ column: "word", value: hostile });
    const filtered = await (await fetch(new URL(`rows?${filter.toString()}`, own.url))).text();
    expect(example).toContain("Its row");
    expect(filtered.replace(/\s+/g, " ")).toContain("1 of 2 rows");
    for (const text of [rows, example, filtered]) {
      expect(text.match(/<img|<b>run|<script>/g)).toBeNull();
      expect(text.match(/<table/g)).toHaveLength(1);
    }
    await own.close();
    await rm(folder, { recursive: true });
  });

  test("the prompt comes back in the form to the character", async () => {
    const prompt = "\n  two lines,\n\ttabs and “quotes” // & more  ";
    const { text } = await post("tokens", { prompt: prompt.replace(/\n/g, "\r\n") });
    const field = /<textarea[^>]*>\n([^<]*)<\/textarea/.exec(text)![1]!;
    const plain = field
      .replace(/&#47;/g, "/")
      .replace(/&amp;/g, "&")
      .replace(/&quot;/g, '"');
    expect(plain).toBe(prompt);
  });
});

describe("errors say what to do", () => {
  test.each([
    ["tokens", { prompt: "" }, 422, "Prompt: &quot;&quot; given; allowed: a text"],
    ["tokens", { prompt: "a", scorer: "probe:gone" }, 404, "choose one from the list"],
    [
      "tokens",
      { prompt: "a", scorer: probe, layer: "0" },
      422,
      "allowed: 3, 4 for the logistic probe of truth",
    ],
    ["tokens", { prompt: "a", generated: "0" }, 422, "a whole number from 1 to 256"],
    ["steer", { prompt: "a", scale: "big" }, 422, "Scale: &quot;big&quot; given"],
    ["steer", { prompt: "a", unit: "ells" }, 422, "allowed: one of vector, stream"],
  ])("%s %o", async (path, fields, status, words) => {
    for (const headers of [{}, { "x-residua-fragment": "1" }] as Record<string, string>[]) {
      const answer = await post(path, fields, headers);
      expect(answer.status).toBe(status);
      expect(answer.text).toContain(words);
    }
  });

  test.each([
    ["rows?column=city", 422, "Column: &quot;city&quot; given; allowed: one of example, group"],
    ["rows?value=true", 422, "a column to look for the value"],
    ["rows?dataset=elsewhere", 404, "The run has no dataset"],
    ["example?id=Nowhere", 404, "follow a link of the rows"],
    ["example", 422, "follow a link of the rows"],
    ["rows?column=continent&value=Atlantis", 200, "No row has it. Values of continent, with their rows: "],
  ])("%s", async (path, status, words) => {
    const answer = await send(path);
    expect(answer.status).toBe(status);
    expect(answer.text.replace(/\s+/g, " ")).toContain(words);
  });

  test("a prompt that the model has no room for", async () => {
    const { status, text } = await post("tokens", { prompt: "many words ".repeat(900) });
    expect(status).toBe(422);
    expect(text).toContain("The server refuses this");
    expect(text).toMatch(/context|tokens/);
  });

  test("a body over a megabyte is refused", async () => {
    expect((await post("tokens", { prompt: "a".repeat(1 << 20) })).status).toBe(413);
  });

  test("a server that is gone is named, with what to do", async () => {
    const client = createClient({ baseURL: "http://127.0.0.1:9/v1", apiKey: key, maxRetries: 0 });
    const lens = createLens(client);
    const gone = await startExplorer({ lens, model: "tiny", run: world.run, serverName: "gone" });
    const answer = await fetch(new URL("tokens", gone.url), {
      method: "POST",
      body: new URLSearchParams({ prompt: "a" }),
    });
    expect(answer.status).toBe(502);
    const text = await answer.text();
    expect(text).toContain("The server cannot be reached");
    expect(text).toContain("See whether it still runs");
    expect(text).not.toContain(key);
    await gone.close();
    await client.close();
  });

  test("a run of another model scores nothing", async () => {
    const other = await startExplorer({
      lens: world.lens,
      model: "tiny-uncatalogued",
      run: world.run,
      serverName: "x",
    });
    const answer = await fetch(new URL("tokens", other.url), {
      method: "POST",
      body: new URLSearchParams({ prompt: "a" }),
    });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(
      "was made on tiny, and the server answers as tiny-uncatalogued: start residua explore with --model",
    );
    await other.close();
  });

  test("without a run it says what to start", async () => {
    const bare = await startExplorer({ lens: world.lens, model: "tiny", serverName: "x" });
    for (const path of ["tokens", "steer", "rows"]) {
      const answer = await fetch(new URL(path, bare.url));
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain("residua explore RUN");
    }
    await bare.close();
  });

  test("a port in use is told", async () => {
    const port = Number(new URL(explorer.url).port);
    const { lens, run } = world;
    await expect(startExplorer({ lens, model: "tiny", run, serverName: "x", port })).rejects.toThrow(
      `Port ${port} is in use: choose another`,
    );
  });
});

describe("work that nobody waits for ends at the server", () => {
  /** At this scale the model says one word to the end of what it may. */
  const endless = {
    prompt: claim,
    scorer: "direction:directions/truth.safetensors",
    scale: "20",
    tokens: "400",
  };

  const generated = () => world.model.stats().generatedTokens;
  async function cut(url: string, seed: string, leave: (cut: AbortController) => unknown): Promise<number> {
    const before = generated();
    const controller = new AbortController();
    const body = new URLSearchParams({ ...endless, seed });
    const asked = fetch(new URL("steer", url), { method: "POST", body, signal: controller.signal });
    const outcome = asked.then(
      () => "answered",
      () => "cut",
    );
    while (generated() < before + 8) await sleep(2);
    await leave(controller);
    expect(await outcome).toBe("cut");
    while (world.model.stats().active > 0) await sleep(5);
    return generated() - before;
  }

  test("when the page goes away", async () => {
    expect(await cut(explorer.url, "1", (page) => page.abort())).toBeLessThan(390);
  });

  test("when the explorer closes", async () => {
    const { lens, run } = world;
    const own = await startExplorer({ lens, model: "tiny", run, serverName: "embedded" });
    expect(await cut(own.url, "2", () => own.close())).toBeLessThan(390);
  });

  test("and only then: one that is waited for runs to its end", async () => {
    const before = generated();
    expect((await post("steer", { ...endless, seed: "3" })).status).toBe(200);
    expect(generated() - before).toBeGreaterThanOrEqual(400);
  });
});
