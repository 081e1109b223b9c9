import { needsNative } from "./native-support.ts";
import { smolLm2Suite } from "./smollm2-suite.ts";

smolLm2Suite("native", { there: needsNative() });
