import { z } from "zod";

/** Every kind of probe, under the one name by which results, files and errors know it. */
export const probeNameSchema = z.enum([
  "difference-of-means",
  "logistic",
  "ridge",
  "ridge-classifier",
  "linear-regression",
  "lda",
  "mahalanobis",
  "mahalanobis-distance",
  "nearest-centroid",
  "mass-mean-iid",
  "pca",
  "pca-of-differences",
  "k-sparse",
  "linear-svm",
  "elastic-net",
  "multinomial",
  "mlp",
  "attention",
  "ccs",
]);
export type ProbeName = z.infer<typeof probeNameSchema>;
