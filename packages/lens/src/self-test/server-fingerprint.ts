import { createHash } from "node:crypto";
import type { Facts } from "./probe-server.ts";
import type { SelfTestResult, SelfTestStatus } from "./self-test-check.ts";
import type { ServerBehaviour } from "./server-behaviour.ts";

/** Which server computed something, and what it was found to do: plain JSON, to be stored with every dataset. */
export interface ServerFingerprint {
  format: "residua-server-fingerprint";
  /** SHA-256 of everything else but the date, in hex: equal for equal findings. */
  hash: string;
  /** The profile of lens. */
  profile: string;
  /** vLLM's version; null where the server does not tell. */
  version: string | null;
  /** vLLM's `system_fingerprint`, which differs by configuration. */
  systemFingerprint: string | null;
  /** vllm-lens, as far as its routes tell. */
  plugin: string | null;
  model: string;
  checkpoint: string;
  layers: number;
  behaviours: ServerBehaviour;
  /** By check; what could not be decided is left out. */
  verdicts: Readonly<Record<string, SelfTestStatus>>;
  /** ISO 8601, UTC. */
  date: string;
}

export function makeFingerprint(parts: {
  profile: string;
  model: string;
  facts: Facts;
  behaviours: ServerBehaviour;
  results: readonly SelfTestResult[];
  date: Date;
}): ServerFingerprint {
  const { profile, model, facts, behaviours, results, date } = parts;
  const decided = results.filter(({ status }) => status === "pass" || status === "fail");
  const findings = {
    format: "residua-server-fingerprint" as const,
    profile,
    version: facts.version ?? null,
    systemFingerprint: facts.systemFingerprint ?? null,
    plugin: pluginOf(facts, behaviours),
    model,
    checkpoint: facts.checkpoint,
    layers: facts.layerCount,
    behaviours: Object.fromEntries(Object.entries(behaviours).sort(byName)) as ServerBehaviour,
    verdicts: Object.fromEntries(decided.map(({ code, status }) => [code, status])),
  };
  const hash = createHash("sha256").update(JSON.stringify(findings)).digest("hex");
  const { format, ...rest } = findings;
  return { format, hash, ...rest, date: date.toISOString() };
}

/** By the routes that came with each release, and by what changed without one. Null: no vLLM, or nothing told. */
function pluginOf({ routes, version }: Facts, { layers }: ServerBehaviour): string | null {
  if (version === undefined) return null;
  if (routes?.some((path) => path.startsWith("/v1/activations/"))) return "vllm-lens >= 1.3";
  if (routes?.includes("/v1/hooks/register")) return "vllm-lens 1.2";
  if (layers === "all") return "vllm-lens <= 1.1";
  return layers === undefined ? "none seen" : "vllm-lens";
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : a > b ? 1 : 0);
