import { expect, test } from "vitest";
import { ActivationHandles } from "../../src/vllm/activation-handles.ts";

const tensor = (bytes: number) => ({
  frame: new Uint8Array(bytes),
  form: { dtype: "int16", original_dtype: "torch.bfloat16", shape: [1], compression: "zstd" },
});

test("a handle is 24 random bytes and finds its tensor until its time is over", () => {
  let now = 0;
  const handles = new ActivationHandles({ lifetime: 300_000 }, () => now);
  const kept = tensor(5);
  const handle = handles.keep(kept);
  expect(handle).toMatch(/^[A-Za-z0-9_-]{32}$/);
  expect(handles.keep(tensor(5))).not.toBe(handle);
  now = 299_999;
  expect(handles.find(handle)).toBe(kept);
  now = 300_000;
  expect(handles.find(handle)).toBeUndefined();
});

test("the oldest give way, by number and by bytes", () => {
  const few = new ActivationHandles({ entries: 2 });
  const [first, second, third] = [few.keep(tensor(1)), few.keep(tensor(1)), few.keep(tensor(1))];
  expect([few.find(first), few.find(second), few.find(third)].map((found) => found !== undefined)).toEqual([
    false,
    true,
    true,
  ]);
  const small = new ActivationHandles({ bytes: 10 });
  const four = small.keep(tensor(4));
  const six = small.keep(tensor(6));
  expect(small.find(four)).toBeDefined();
  small.keep(tensor(1));
  expect(small.find(four)).toBeUndefined();
  expect(small.find(six)).toBeDefined();
});

test("a tensor larger than all that is kept is refused, and takes nothing away", () => {
  const handles = new ActivationHandles({ bytes: 10 });
  const kept = handles.keep(tensor(10));
  expect(() => handles.keep(tensor(11))).toThrow(
    "activations_transport: the capture has 11 bytes, over the 10 that are kept; ask for fewer layers or tokens",
  );
  expect(handles.find(kept)).toBeDefined();
});
