import process from "node:process";

const told = new Set<string>();

/** Tells what is no error but should be known, as a process warning of the type `ResiduaWarning`; the same words once a process. */
export function warnOnce(code: string, message: string): void {
  if (told.has(message)) return;
  told.add(message);
  process.emitWarning(message, { type: "ResiduaWarning", code });
}
