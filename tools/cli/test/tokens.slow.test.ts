import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modelFolder } from "@residua/tiny-model";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CommandContext } from "../src/make-command.ts";
import { planCommand } from "../src/plan.ts";
import { tokenize } from "../src/tokenize.ts";
import { commandInProcess } from "./command-in-process.ts";
import { residua, serveTiny, type Finished } from "./residua-process.ts";

const scratch = mkdtempSync(join(tmpdir(), "residua-tokens-"));
let serving: Awaited<ReturnType<typeof serveTiny>>;
beforeAll(async () => {
  serving = await serveTiny(["--profile", "vllm"]);
});
afterAll(async () => {
  serving.child.kill("SIGTERM");
  await serving.finished;
  rmSync(scratch, { recursive: true, force: true });
});

const ask = (...words: string[]) => residua([...words, "--base-url", serving.url, "--profile", "vllm"]);
function json({ code, stdout, stderr }: Finished): unknown {
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const text = "The city of Paris is in Europe.";

test("models: what is served, and what is known of it", async () => {
  const { models } = json(await ask("models", "--json")) as { models: unknown[] };
  expect(models).toMatchObject([{ id: "tiny", contextLength: { value: 1024, source: "catalogue" } }]);
  const { stdout } = await ask("models");
  expect(stdout.split("\n")[0]).toMatch(/^model +checkpoint +layers +hidden size +context +vocabulary$/);
});

test("tokenize: the tokens of a text, and their text again", async () => {
  const found = json(await ask("tokenize", text, "--json")) as { ids: number[]; tokens: string[] };
  expect(found.tokens.slice(0, 3)).toEqual(["<s>", "The", "Ġcity"]);
  const plain = json(await ask("tokenize", text, "--no-special-tokens", "--json")) as { ids: number[] };
  expect(plain.ids).toEqual(found.ids.slice(1));
  expect((await ask("tokenize", "--ids", plain.ids.join(","))).stdout).toBe(`${text}\n`);
});

test("plan: the tokens are counted, and what can never fit ends with 3", async () => {
  const ids = join(scratch, "ids.jsonl");
  writeFileSync(ids, JSON.stringify({ prompt: [0, 265, 287] }));
  const few = json(
    await residua(["plan", "--examples", ids, "--layers", "0,5", "--select", "all", "--json"]),
  );
  // 3 tokens, one generated: 3 positions × 2 layers × 96.
  expect(few).toMatchObject({ requests: 1, numbers: { least: 576, most: 576 }, tooLarge: [] });
  const examples = join(scratch, "long.jsonl");
  const lines = [text, "word ".repeat(2000)].map((prompt) => JSON.stringify({ prompt }));
  writeFileSync(examples, lines.join("\n"));
  const { code, stdout, stderr } = await ask("plan", "--examples", examples);
  expect(code).toBe(3);
  expect(stdout).toMatch(/^2 captures in 1 request\n/);
  expect(stdout).toMatch(/never fits: capture 1: /);
  expect(stderr).toMatch(/1 of 2 captures can never fit/);
});

test("chat-tokens: whose each token of a conversation is", async () => {
  const folder = join(scratch, "chat");
  cpSync(modelFolder, folder, { recursive: true });
  writeFileSync(
    join(folder, "chat_template.jinja"),
    "{{ bos_token }}{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}{% if add_generation_prompt %}assistant:{% endif %}",
  );
  const file = join(scratch, "conversations.jsonl");
  writeFileSync(file, JSON.stringify({ messages: [{ role: "user", content: "The city" }] }));
  const words = ["chat-tokens", file, "--model", folder];
  const { conversations } = json(await residua([...words, "--json"])) as {
    conversations: { tokenIds: number[]; spans: { role: string; part: string }[]; text: string }[];
  };
  expect(conversations[0]!.text).toBe("<s>user: The city\nassistant:");
  expect(conversations[0]!.spans.map(({ role, part }) => `${role} ${part}`)).toContain("user content");
  const without = await residua([...words, "--no-generation-prompt"]);
  expect(without.stdout).toMatch(/<s>user: The city\n\n$/);
});

const tokens = { specialTokens: true };
const plan = { layers: "all", select: "last", maxTokens: 1, count: true };
test.each([
  ["tokenize", (context: CommandContext) => tokenize(tokens, context), /give either a text, or --ids/],
  [
    "tokenize",
    (context: CommandContext) => tokenize({ ...tokens, text, ids: "1" }, context),
    /give either a text/,
  ],
  [
    "tokenize",
    (context: CommandContext) => tokenize({ ...tokens, ids: "1,x" }, context),
    /--ids: "x" is not allowed; give token ids/,
  ],
  ["plan", (context: CommandContext) => planCommand(plan, context), /give either --prompt or --examples/],
  [
    "plan",
    (context: CommandContext) => planCommand({ ...plan, prompt: text, select: "some" }, context),
    /--select: "some" is not allowed/,
  ],
])("wrong input to %s ends with 2 and says what to do", async (_, run, problem) => {
  const { code, message } = await commandInProcess(run);
  expect(code).toBe(2);
  expect(message).toMatch(problem);
});

test("a server of the hosted API's kind shows no tokens", async () => {
  const { code, stderr } = await residua(["tokenize", text, "--base-url", serving.url]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/give --profile vllm/);
});
