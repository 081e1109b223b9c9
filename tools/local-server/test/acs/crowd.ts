// The clients of many-clients.slow.test.ts, in a process of their own: the server's memory is then the server's.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** What the test tells the crowd: a round of this many seconds. */
export interface Round {
  readonly url: string;
  readonly keys: readonly CrowdKey[];
  readonly bodies: readonly Body[];
  readonly name: string;
  /** 0: each request once, alone. */
  readonly seconds: number;
}

export interface CrowdKey {
  readonly id: string;
  readonly key: string;
  readonly clients: number;
  /** Its clients close their connections before they have their answers. */
  readonly leaves: boolean;
}

/** What the clients of a key saw. */
export interface Tally {
  sent: number;
  answered: number;
  refused: number;
  tokens: number;
}

type Body = Readonly<Record<string, unknown>>;

interface Choice {
  index: number;
  text: string;
  finish_reason: string | null;
  logprobs: Record<string, unknown[]> | null;
}

/** What each request gave alone. */
const alone: string[] = [];

function ask(url: string, key: string, id: string, body: Body, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "x-request-id": id },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  }).catch((error: Error) => {
    if (error.name !== "AbortError") console.error(id, JSON.stringify(body).slice(0, 150), error.cause);
    throw error;
  });
}

/** What is to be equal, as text: no ids and no times. */
async function contentOf(response: Response, { stream }: Body): Promise<string> {
  const text = await response.text();
  if (stream !== true) {
    const { choices, usage, activations } = JSON.parse(text) as Record<string, unknown>;
    return JSON.stringify({ choices, usage, activations });
  }
  const events = text.split("\n\n").filter((event) => event !== "" && !event.startsWith(":"));
  if (events.pop() !== "data: [DONE]") throw new Error(`a stream did not end: ${text.slice(-200)}`);
  const chunks = events.map(
    (event) => JSON.parse(event.replace(/^data: /, "")) as { choices: Choice[]; usage?: object },
  );
  const choices: Choice[] = [];
  for (const part of chunks.flatMap((chunk) => chunk.choices)) {
    const whole = (choices[part.index] ??= { ...part, text: "", logprobs: null });
    whole.text += part.text;
    whole.finish_reason = part.finish_reason;
    for (const [name, values] of Object.entries(part.logprobs ?? {}))
      ((whole.logprobs ??= {})[name] ??= []).push(...values);
  }
  return JSON.stringify({ choices, usage: chunks.at(-1)!.usage });
}

/** Closes the connection after so many milliseconds, if the answer has not come whole by then. */
async function askAndLeave(
  round: Round,
  key: CrowdKey,
  id: string,
  body: Body,
  after: number,
): Promise<void> {
  const end = new AbortController();
  const left = once(end.signal, "abort");
  setTimeout(() => end.abort(), after);
  const reading = ask(round.url, key.key, id, { ...body, max_tokens: 200 }, end.signal)
    .then((response) => response.text())
    .catch((error: Error) => {
      if (error.name !== "AbortError") throw error;
    });
  reading.catch(() => undefined);
  // The text of an answer that is aborted while it comes can wait for ever (seen in Node 20's fetch, rarely).
  await Promise.race([reading, left]);
}

/** Asks until the time is up; throws for an answer that is lost, doubled, another's, or not the one it gets alone. */
async function client(
  round: Round,
  key: CrowdKey,
  number: number,
  tally: Tally,
  until: number,
): Promise<void> {
  for (let turn = 0; performance.now() < until; turn++) {
    const which = (turn * 7 + number * 3) % round.bodies.length;
    const body = round.bodies[which]!;
    const id = `${round.name}-${key.id}-${number}-${turn}`;
    tally.sent++;
    if (key.leaves) {
      await askAndLeave(round, key, id, body, (turn * 13) % 120);
      await sleep(50);
      continue;
    }
    let response = await ask(round.url, key.key, id, body);
    while (response.status === 429) {
      tally.refused++;
      const text = await response.text();
      const wait = Number(response.headers.get("retry-after"));
      if (!text.includes('"queue_full"') || !(wait > 0)) throw new Error(`429 without Retry-After: ${text}`);
      await sleep(1000 * wait);
      response = await ask(round.url, key.key, id, body);
    }
    const answered = response.headers.get("x-request-id");
    if (response.status !== 200 || answered !== id)
      throw new Error(`${id} was answered ${response.status} for ${answered}: ${await response.text()}`);
    const content = await contentOf(response, body);
    if (content !== alone[which]) throw new Error(`${id} got\n${content}\nand alone\n${alone[which]}`);
    tally.answered++;
    tally.tokens += (JSON.parse(content) as { usage: { total_tokens: number } }).usage.total_tokens;
  }
}

/** All clients at once. */
async function run(round: Round): Promise<Record<string, Tally>> {
  if (round.seconds === 0) {
    for (const body of round.bodies) {
      const response = await ask(round.url, round.keys[0]!.key, "alone", body);
      if (response.status !== 200) throw new Error(await response.text());
      alone.push(await contentOf(response, body));
    }
    return {};
  }
  const until = performance.now() + round.seconds * 1000;
  const tallies: Record<string, Tally> = {};
  await Promise.all(
    round.keys.flatMap((key) => {
      const tally = (tallies[key.id] = { sent: 0, answered: 0, refused: 0, tokens: 0 });
      return Array.from({ length: key.clients }, (_, i) => client(round, key, i, tally, until));
    }),
  );
  return tallies;
}

process.on("message", (round: Round) => {
  run(round).then(
    (tallies) => process.send!({ tallies }),
    ({ message, cause }: Error) => {
      const reason = cause instanceof Error ? ` (${cause.message})` : "";
      process.send!({ error: `${message}${reason}`.slice(0, 4000) });
    },
  );
});
