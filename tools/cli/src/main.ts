import { createInterrupt } from "./interrupt.ts";
import { createProgram } from "./program.ts";

const interrupt = createInterrupt();
try {
  await createProgram({ signal: interrupt.signal }).parseAsync(process.argv);
  if (interrupt.signal.aborted) process.exitCode ??= 130;
} catch (error) {
  // It knows every package's errors: loaded only when there is one.
  const { explainFailure } = await import("./failure.ts");
  const { message, exitCode } = explainFailure(error, { interrupted: interrupt.signal.aborted });
  if (message) console.error(message);
  process.exitCode = exitCode;
} finally {
  interrupt.dispose();
}
