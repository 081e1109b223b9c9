import * as tf from "@tensorflow/tfjs";
import { useBackend } from "./use-backend.ts";

/** For functions that compute: chooses a backend, unless the caller has one running already. */
export async function ensureBackend(): Promise<void> {
  if (!isRunning()) await useBackend();
}

function isRunning(): boolean {
  try {
    tf.backend();
    return true;
  } catch {
    return false;
  }
}
