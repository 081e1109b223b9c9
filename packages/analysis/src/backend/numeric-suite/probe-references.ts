import type { ProbeName } from "../../results/probe-name.ts";

/** A fit of scikit-learn on the rows of the probe checks, in raw space. */
interface ProbeReference {
  readonly probe: ProbeName;
  readonly C?: number;
  readonly weights: readonly number[];
  readonly bias: number;
}

/** Made by fixtures/probe_checks.py. */
export const probeReferences: readonly ProbeReference[] = [
  {
    probe: "logistic",
    C: 0.01,
    weights: [-0.004033993982, 0.2181322497, -0.001165342364, 0.007333326801, 0.02491445283, 0.01729348759],
    bias: -0.5054223364,
  },
  {
    probe: "logistic",
    C: 1.0,
    weights: [-0.06748714235, 1.39366388, -0.04951212438, 0.05176743033, 0.1420012873, 0.04193257631],
    bias: -1.154617158,
  },
  {
    probe: "logistic",
    C: 100.0,
    weights: [-0.07940574113, 1.509887453, -0.05849169158, 0.05655881232, 0.1541548117, 0.03578074385],
    bias: -1.226942525,
  },
  {
    probe: "ridge",
    C: 0.1,
    weights: [0.9760493793, 0.5875364193, -0.01900573802, 0.02162850674, 0.0557075241, 0.03004035568],
    bias: 0.5342402073,
  },
  {
    probe: "ridge",
    C: 10.0,
    weights: [0.8039397507, 0.5054906478, -0.0162794214, 0.01805952542, 0.0484136892, 0.0254477077],
    bias: 0.5807390089,
  },
  {
    probe: "lda",
    weights: [-0.01790339657, 1.606764764, 0.0004918708352, 0.0407295343, 0.1459430292, 0.1051771936],
    bias: -1.209124904,
  },
];
