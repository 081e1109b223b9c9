import { createInterrupt } from "./interrupt.ts";
import { explainFailure } from "./failure.ts";
import { createProgram } from "./program.ts";

const interrupt = createInterrupt();
try {
  await createProgram({ signal: interrupt.signal }).parseAsync(process.argv);
  if (interrupt.signal.aborted) process.exitCode ??= 130;
} catch (error) {
  const { message, exitCode } = explainFailure(error, { interrupted: interrupt.signal.aborted });
  if (message) console.error(message);
  process.exitCode = exitCode;
} finally {
  interrupt.dispose();
}
