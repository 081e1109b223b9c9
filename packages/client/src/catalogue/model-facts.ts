import { ResiduaError } from "../residua-error.ts";

/** What can be stated of a model by its user, or seen in its answers. */
export interface ModelFacts {
  /** Width of the residual stream. */
  hiddenSize?: number | undefined;
  /** Decoder blocks. */
  layers?: number | undefined;
  /** Most tokens, prompt and generated together. */
  contextLength?: number | undefined;
  vocabSize?: number | undefined;
  bosTokenId?: number | undefined;
  checkpoint?: string | undefined;
}

const names: readonly (keyof ModelFacts)[] = [
  "hiddenSize",
  "layers",
  "contextLength",
  "vocabSize",
  "bosTokenId",
  "checkpoint",
];

/** The facts that are set. Throws `invalid_option` for one that cannot be, and for a name that is none of them. */
export function checkFacts(model: string, facts: ModelFacts): ModelFacts {
  const set = Object.entries(facts).filter(([, value]) => value !== undefined);
  for (const [name, value] of set as [keyof ModelFacts, unknown][]) {
    const allowed = allowedFor(name);
    if (allowed.test(value)) continue;
    throw new ResiduaError(
      "invalid_option",
      `model ${model}: ${name}: ${String(value)} given; allowed: ${allowed.text}`,
      { model, name },
    );
  }
  return Object.fromEntries(set);
}

function allowedFor(name: keyof ModelFacts): { text: string; test: (value: unknown) => boolean } {
  if (!names.includes(name)) return { text: `one of ${names.join(", ")}`, test: () => false };
  if (name === "checkpoint") return { text: "a text", test: (value) => typeof value === "string" };
  const least = name === "bosTokenId" ? 0 : 1;
  return {
    text: `a whole number from ${least}`,
    test: (value) => Number.isSafeInteger(value) && Number(value) >= least,
  };
}
