import { trial } from "./trial.ts";

// Bundled for a page, which calls it by this name.
Object.assign(globalThis, { trial });
