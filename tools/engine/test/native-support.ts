import { beforeEach } from "vitest";

/** The cache folder in which `residua backend install` has built the CPU variant. */
const cache = process.env["RESIDUA_NATIVE"];
const unavailable =
  process.env["RESIDUA_NATIVE_UNAVAILABLE"] ??
  "RESIDUA_NATIVE is not set; RESIDUA_CACHE=$PWD/.cache/native-cpu residua backend install builds the backend, and RESIDUA_NATIVE names that folder";

/** Whether a file's tests can run; without the backend each is skipped, and says what would make it run. */
export function needsNative(): boolean {
  beforeEach((context) => context.skip(!cache, unavailable));
  if (cache) process.env["RESIDUA_CACHE"] = cache;
  return Boolean(cache);
}
