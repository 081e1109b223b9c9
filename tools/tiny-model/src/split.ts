/**
 * Which part of the training text an item belongs to: "train" items stand in statements with a verdict (or in reviews),
 * "heldOut" items never do, so what the model says of them it did not learn by heart.
 */
export type Split = "train" | "heldOut";

/** The seed of the split and, unless another is given, of the text. The committed model was trained with it. */
export const corpusSeed = 20261;
