import { expect, test } from "vitest";
import { EngineRequestError } from "../src/engine-error.ts";
import { renderChat } from "../src/render-chat.ts";

const messages = [{ role: "user", content: " Hi\n" }];
const template = (text: string) => ({ template: text, specialTokens: { bos_token: "<s>" } });

test("a template names the special tokens, the messages and what else is given", () => {
  const text =
    "{{ bos_token }}{% for m in messages %}{{ m.role }}:{{ m.content | trim }}{% endfor %}{% if add_generation_prompt %}{{ more }}{% endif %}";
  const values = { messages, add_generation_prompt: true, more: "!" };
  expect(renderChat(template(text), values)).toBe("<s>user:Hi!");
});

test.each([
  ["refuses", "{{ raise_exception('roles must alternate') }}", "roles must alternate"],
  ["is none", "{% if", "the model's chat template cannot write this"],
])("what %s is an error of the request", (_, text, words) => {
  const render = () => renderChat(template(text), { messages, add_generation_prompt: false });
  expect(render).toThrow(EngineRequestError);
  expect(render).toThrow(words);
});
