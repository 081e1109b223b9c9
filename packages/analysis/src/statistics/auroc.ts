export { auroc, oneClassReason, type Auroc } from "./metrics/auroc.ts";
export { rankScores, type RankedScores } from "./metrics/ranked-scores.ts";
