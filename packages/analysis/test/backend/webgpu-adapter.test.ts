import { expect, test } from "vitest";
import { isSoftware, nameOf } from "../../src/backend/webgpu-adapter.ts";

/** As Dawn and Deno described them; the last two are hardware, as their drivers' documentation describes it. */
const dawnSwiftShader = {
  vendor: "google",
  architecture: "swiftshader",
  device: "swiftshader-device-subzero-",
  description: "SwiftShader driver 5.0.0",
  isFallbackAdapter: true,
};
const denoLavapipe = {
  vendor: "65541",
  architecture: "",
  device: "0",
  description: "llvmpipe (LLVM 15.0.6, 256 bits)",
  isFallbackAdapter: true,
};
const unnamedSoftware = {
  vendor: "1234",
  architecture: "",
  device: "1",
  description: "",
  isFallbackAdapter: true,
};
const nvidia = { vendor: "nvidia", architecture: "hopper", device: "0x2335", description: "NVIDIA H200" };
const apple = {
  vendor: "apple",
  architecture: "metal-3",
  device: "",
  description: "",
  isFallbackAdapter: false,
};

test("a program that acts as a GPU is told from one, by WebGPU's own word or by its name", () => {
  for (const info of [dawnSwiftShader, denoLavapipe, unnamedSoftware]) expect(isSoftware(info)).toBe(true);
  const { isFallbackAdapter: _, ...silent } = denoLavapipe;
  expect(isSoftware(silent)).toBe(true);
  expect(isSoftware(nvidia)).toBe(false);
  expect(isSoftware(apple)).toBe(false);
});

test("an adapter is named by what its driver says in words", () => {
  expect(nameOf(dawnSwiftShader)).toBe("google swiftshader SwiftShader driver 5.0.0");
  expect(nameOf(denoLavapipe)).toBe("llvmpipe (LLVM 15.0.6, 256 bits)");
  expect(nameOf(nvidia)).toBe("nvidia hopper NVIDIA H200");
  expect(nameOf(unnamedSoftware)).toBe("an adapter without a name");
});
