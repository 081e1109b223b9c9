import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type ProfileName } from "@residua/client";
import { createLens, type Lens } from "@residua/lens";
import type { Example } from "@residua/analysis";
import { onTestFinished } from "vitest";

/** A folder of its own for a test, removed afterwards. */
export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "residua-collected-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A lens at a server, without retries that would hide its faults. */
export function lensAt(baseURL: string, profile: ProfileName = "vllm"): Lens {
  const client = createClient({ baseURL, profile, maxRetries: 0 });
  onTestFinished(() => client.close());
  return createLens(client);
}

const cities = ["Rome", "Paris", "Lima", "Cairo", "Oslo", "Tokyo", "Quito", "Delhi"];

/** Statements of different lengths, true and false. */
export function statements(count: number): Example[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `s${i}`,
    prompt: `The city of ${cities[i % cities.length]} is ${"very ".repeat(i % 5)}far from here, number ${i}.`,
    group: cities[i % cities.length] as string,
    labels: { even: i % 2 === 0 },
  }));
}
