/** What is read comes before what is done with it, and before what only shows. */
const order: readonly string[] = [
  ...["layer-sweep", "position-sweep", "label-efficiency", "transfer-matrix", "roc-curve", "score-histogram"],
  ...["reliability-curve", "calibration", "projection", "direction", "direction-stability", "cosine-matrix"],
  ...["ccs-training", "inlp", "direction-selection", "steering-evaluation", "steering-search"],
  ...["token-scores", "logit-lens", "capture-cost"],
];

/** Where results of a kind stand in a page; other kinds come after them. */
export function kindPlace(kind: string): number {
  const place = order.indexOf(kind);
  return place < 0 ? order.length : place;
}
