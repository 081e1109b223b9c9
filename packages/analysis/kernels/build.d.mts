/** The text of src/linalg/kernel/kernel-bytes.ts. */
export function kernelModule(): Promise<string>;
