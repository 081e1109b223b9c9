/** Names of the probes that commands offer: apart from what makes them, so that help needs no tfjs. */
export const probeChoices = ["logistic", "ridge", "difference-of-means", "lda"] as const;
export type ProbeChoice = (typeof probeChoices)[number];
