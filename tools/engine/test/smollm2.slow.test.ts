import { smolLm2Suite } from "./smollm2-suite.ts";

smolLm2Suite("wasm", { there: true });
