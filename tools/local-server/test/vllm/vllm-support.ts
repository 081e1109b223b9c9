import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadModel, type Model } from "@residua/engine";
import { tinyModel } from "../support.ts";
import { frames } from "../stream-support.ts";

/** A chat template of the usual kind, for a model that was never taught one. */
const template = `{% for message in messages %}{{ message.role + ': ' + message.content + eos_token + '\\n' }}{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}`;

/** The tiny model with a chat template. */
export async function chattingModel(): Promise<Model> {
  const folder = await mkdtemp(join(tmpdir(), "residua-chatting-"));
  try {
    await cp(tinyModel, folder, { recursive: true });
    await writeFile(join(folder, "chat_template.jinja"), template);
    return await loadModel(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export interface VllmAnswer<T = Record<string, never>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T & {
    readonly error?: { message: string; type: string; param: string | null; code: number };
  };
}

/** Posts JSON to a path of the server, beside or below /v1. */
export async function post<T>(
  url: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<VllmAnswer<T>> {
  const response = await fetch(new URL(path, url), {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as VllmAnswer<T>["body"],
  };
}

/** The events of a stream, [DONE] left out. */
export async function events<T>(url: string, path: string, body: object): Promise<T[]> {
  const response = await fetch(new URL(path, url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, stream: true }),
  });
  const all: string[] = [];
  for await (const frame of frames(response)) all.push(frame);
  if (all.pop() !== "[DONE]") throw new Error("the stream did not end in [DONE]");
  return all.map((event) => JSON.parse(event) as T);
}
