// The numeric kernels of @residua/analysis, in AssemblyScript: float32 and float64 vectors of WebAssembly, no allocation. All
// addresses are multiples of 16. `node kernels/build.mjs` compiles them to src/linalg/kernel/kernel-bytes.ts.
export { gramDouble, gramSingle } from "./gram";
export { factorDouble, factorSingle, shiftSingle } from "./cholesky";
export { solveDouble, solveSingle } from "./solve";
