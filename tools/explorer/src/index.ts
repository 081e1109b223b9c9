export { ExplorerError, type ExplorerErrorCode } from "./explorer-error.ts";
export { openRun, type Run } from "./run/open-run.ts";
export { type ExplorerOptions, type RunningExplorer, startExplorer } from "./start-explorer.ts";
export type { ExplorerLens } from "./work/model-work.ts";
