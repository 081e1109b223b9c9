// A worker thread of Node does not take over the loader that runs TypeScript in the main one. Only sources need it: dist has
// worker-main.js.
import { register } from "tsx/esm/api";

register();
await import("./worker-main.ts");
