import { ResiduaError } from "../residua-error.ts";
import { fetchTransport } from "../transport/fetch-transport.ts";
import type { Platform } from "./platform.ts";

export const platform: Platform = {
  environment: () => undefined,
  defaultTransport({ proxy, connections }) {
    if (proxy || connections !== undefined) {
      const name = proxy ? "proxy" : "connections";
      throw new ResiduaError("invalid_option", `${name}: a browser keeps its own connections; leave it out`);
    }
    // A browser's fetch must be called as the window's own.
    return { transport: fetchTransport((...request) => fetch(...request)), secrets: [] };
  },
  warn: ({ code, message }) => console.warn(`ResiduaWarning [${code}]: ${message}`),
};
