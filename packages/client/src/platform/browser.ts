import { fetchTransport } from "../transport/fetch-transport.ts";
import type { Platform } from "./platform.ts";

export const platform: Platform = {
  environment: () => undefined,
  // A browser's fetch must be called as the window's own.
  defaultTransport: () => fetchTransport((...request) => fetch(...request)),
  warn: ({ code, message }) => console.warn(`ResiduaWarning [${code}]: ${message}`),
};
