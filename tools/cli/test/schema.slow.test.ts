import { endpoints, requestJSONSchema } from "@residua/client";
import { expect, test } from "vitest";
import { residua } from "./residua-process.ts";

test("residua schema prints the JSON Schema of an endpoint", async () => {
  const plain = await residua(["schema"]);
  expect(plain).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(plain.stdout)).toEqual(requestJSONSchema("acs", "completions"));
  const words = ["schema", "--profile", "vllm", "--endpoint", "tokenize", "--json"];
  expect(JSON.parse((await residua(words)).stdout)).toEqual(requestJSONSchema("vllm", "tokenize"));
});

test("residua schema --list names every endpoint; one that there is not is refused with those that there are", async () => {
  const { stdout } = await residua(["schema", "--list"]);
  for (const { profile, name } of Object.values(endpoints).flat())
    expect(stdout).toContain(`${profile} ${name}: `);
  const vllm = JSON.parse(
    (await residua(["schema", "--list", "--profile", "vllm", "--json"])).stdout,
  ) as object[];
  expect(vllm).toHaveLength(endpoints.vllm.length);
  const wrong = await residua(["schema", "--endpoint", "nope"]);
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toContain("acs has no endpoint nope; it has completions, job, models, health");
});
