import { ResiduaError } from "@residua/lens";
import * as tf from "@tensorflow/tfjs";
import { candidateOf, candidates, tfjsNames } from "./backend-name.ts";
import type { Backend, BackendName, BackendReason, Candidate } from "./backend-name.ts";
import { enterRun, runsInFlight } from "./runs-in-flight.ts";
import { startBackend } from "./start-backend.ts";

export interface BackendOptions {
  /** Tried before the others. Default: `node-gpu`, `webgpu`, `wasm`, `cpu`. A software WebGPU adapter is taken only so. `native` is
   * the native package, whether or not a GPU computes in it. */
  prefer?: BackendName | "native";
}

interface Choice {
  asked: Candidate | undefined;
  backend: Backend;
}

const names: readonly (BackendName | "native")[] = [
  "node-gpu",
  "node-cpu",
  "webgpu",
  "wasm",
  "cpu",
  "native",
];
let chosen: Choice | undefined;
let underWay: Promise<unknown> = Promise.resolve();

/**
 * Chooses what tfjs computes on, once: later calls return the first choice. A GPU is claimed only when one computes, and each
 * backend must pass a numeric check before it is taken. Another preference changes the backend as long as nothing is in use:
 * while a computation of this package is under way, or tensors live on the backend, it is refused, so no run ends on another
 * backend than it began on. A backend on which tensors already live when the first call comes is kept, and the reasons say so.
 * Throws ResiduaError `backend_unknown`, `backend_in_use` and `backend_failed`.
 */
export function useBackend({ prefer }: BackendOptions = {}): Promise<Backend> {
  if (prefer !== undefined && !names.includes(prefer)) {
    const message = `backend ${JSON.stringify(prefer)} is not known; allowed: ${names.join(", ")}`;
    return Promise.reject(new ResiduaError("backend_unknown", message, { prefer, allowed: names }));
  }
  const asked = prefer === undefined ? undefined : candidateOf(prefer);
  return inTurn(async () => (chosen = await settle(asked)).backend);
}

/** Runs a computation on the chosen backend (or the one that the caller set), which cannot change before it has ended. */
export async function onBackend<T>(compute: () => Promise<T>): Promise<T> {
  const leave = await inTurn(async () => {
    if (tf.getBackend() === undefined) chosen = await settle(undefined);
    return enterRun();
  });
  try {
    return await compute();
  } finally {
    leave();
  }
}

/** Choices and beginnings of computations come one after the other, in the order of their calls. */
function inTurn<T>(act: () => Promise<T>): Promise<T> {
  const acting = underWay.then(act);
  underWay = acting.catch(() => undefined);
  return acting;
}

async function settle(asked: Candidate | undefined): Promise<Choice> {
  const active = tf.getBackend() as string | undefined;
  if (chosen && active === tfjsNames[candidateOf(chosen.backend.name)]) {
    const same = asked === undefined || asked === chosen.asked || asked === candidateOf(chosen.backend.name);
    if (same) return chosen;
  }
  const use = inUse();
  if (active === undefined || use === undefined) return { asked, backend: await choose(asked) };
  const kept = candidates.find((candidate) => tfjsNames[candidate] === active);
  if (kept && (asked === undefined || asked === kept)) return { asked, backend: await adopt(kept, use) };
  throw new ResiduaError(
    "backend_in_use",
    `tfjs computes on ${active} and ${use}, so it does not go over to ${asked ?? "another backend"}: await what runs, dispose of ` +
      `the tensors (tf.dispose), or compute in a worker or process of its own.`,
    { active, prefer: asked },
  );
}

/** In words, what would end on another backend than it began on. */
function inUse(): string | undefined {
  const runs = runsInFlight();
  const tensors = tf.engine().state.numTensors;
  if (runs > 0) return runs === 1 ? "a computation is under way" : `${runs} computations are under way`;
  if (tensors > 0) return tensors === 1 ? "a tensor lives there" : `${tensors} tensors live there`;
  return undefined;
}

/** The backend that the caller had running: tried like any other, but not left. */
async function adopt(kept: Candidate, use: string): Promise<Backend> {
  const started = await startBackend(kept, { asked: true });
  const before = candidates.slice(0, candidates.indexOf(kept));
  const reasons = before.map((name) => ({ name, reason: `not tried: tfjs computes on ${kept} and ${use}` }));
  if ("reason" in started) throw failed([...reasons, { name: kept, reason: started.reason }]);
  return { ...started, reasons: [...reasons, ...(started.reasons ?? [])] };
}

async function choose(asked: Candidate | undefined): Promise<Backend> {
  const first = asked ?? candidates[0];
  const tried: BackendReason[] = [];
  for (const candidate of [first, ...candidates.filter((other) => other !== first)]) {
    const started = await startBackend(candidate, { asked: candidate === asked });
    if (!("reason" in started)) {
      const { name, device, threads } = started;
      const skipped = candidates
        .slice(0, candidates.indexOf(candidate))
        .filter((before) => !tried.some((one) => one.name === before))
        .map((before) => ({ name: before, reason: `not tried: ${first} was preferred` }));
      return { name, device, threads, reasons: [...skipped, ...tried, ...(started.reasons ?? [])] };
    }
    tried.push({ name: candidate, reason: started.reason });
  }
  throw failed(tried);
}

function failed(reasons: readonly BackendReason[]): ResiduaError {
  const tried = reasons.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
  return new ResiduaError("backend_failed", `no tfjs backend computes rightly here: ${tried}`, { reasons });
}
