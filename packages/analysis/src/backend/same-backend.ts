import { ResiduaError } from "@residua/lens";
import type { BackendName } from "./backend-name.ts";
import { useBackend } from "./use-backend.ts";

/** In a worker: the backend that the main thread computes on, or an error. Another would give other numbers in silence. */
export async function sameBackend(name: BackendName): Promise<void> {
  const backend = await useBackend({ prefer: name });
  if (backend.name === name) return;
  const why = backend.reasons.find((one) => one.name === name)?.reason ?? "no reason was given";
  throw new ResiduaError(
    "backend_differs",
    `The main thread computes on ${name}, and a worker thread got ${backend.name}: ${why}. Compute without workers (workers: 0).`,
    { name, got: backend.name },
  );
}
