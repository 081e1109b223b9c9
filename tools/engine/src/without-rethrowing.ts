const events = ["uncaughtException", "unhandledRejection"] as const;

/**
 * Starts what emscripten compiled, and takes away the handlers that it adds to the process: they throw an uncaught error
 * again, so that Node prints the whole compiled source before it.
 */
export async function withoutRethrowing<T>(start: () => Promise<T>): Promise<T> {
  const before = new Set(events.flatMap((event) => process.listeners(event as "uncaughtException")));
  try {
    return await start();
  } finally {
    for (const event of events) {
      for (const listener of process.listeners(event as "uncaughtException")) {
        // Others may have added theirs meanwhile.
        if (!before.has(listener) && /\bthrow\b/.test(String(listener))) process.off(event, listener);
      }
    }
  }
}
