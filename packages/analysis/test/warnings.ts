import { onTestFinished, vi } from "vitest";

/** Takes the process warnings of a test; what it returns gives their messages so far. */
export function warnings(): () => string[] {
  const spy = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.map(([message]) => String(message));
}
