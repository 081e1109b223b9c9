import type { DatasetDescription, LayerHealth } from "./description-schema.ts";
import type { LintCode, LintFinding, LintOutcome } from "./lint-schema.ts";

/** Share of repeated rows that is worth a word. */
const manyRepeated = 0.01;

/** Rows with numbers that are not finite: no probe can be fitted on them. */
function lintNonFinite({ layers, rows }: DatasetDescription): LintOutcome {
  if (rows === 0 || layers.length === 0) return { notChecked: `${rows} rows of ${layers.length} layers` };
  return perLayer(
    layers.filter(({ nonFinite }) => nonFinite.rows > 0),
    ({ layer, nonFinite }) => ({
      code: "non_finite",
      severity: "error",
      label: null,
      what: `layer ${layer}: ${nonFinite.rows} rows hold ${nonFinite.nan} NaN and ${nonFinite.infinite} infinite numbers`,
      numbers: { layer, ...nonFinite, threshold: 0 },
      advice: "Collect these examples again, in a wider number type where they overflow, or filter them out.",
    }),
  );
}

/** Dimensions that never change. A layer in which none does is the same row again and again. */
function lintConstantDimensions({ layers, hiddenSize }: DatasetDescription): LintOutcome {
  const rowsOf = ({ norms }: LayerHealth): number => norms?.count ?? 0;
  if (layers.every((layer) => rowsOf(layer) < 2)) return { notChecked: "no layer has two finite rows" };
  return perLayer(
    layers.filter(({ constant }) => constant.count > 0),
    ({ layer, constant }) => ({
      code: "constant_dimensions",
      severity: constant.count === hiddenSize ? "error" : "warning",
      label: null,
      what:
        constant.count === hiddenSize
          ? `layer ${layer}: all rows are equal`
          : `layer ${layer}: ${constant.count} of ${hiddenSize} dimensions have one value in all rows (${constant.dimensions.join(", ")})`,
      numbers: { layer, count: constant.count, hiddenSize, threshold: 0 },
      advice:
        constant.count === hiddenSize
          ? "Rows before the first difference between the prompts are equal: choose a later position."
          : "Check the capture: a real model hardly has such a dimension.",
    }),
  );
}

/** Rows at the beginning-of-text token are the same whatever follows, and have norms of their own. */
function lintBos({ bos, rows }: DatasetDescription): LintOutcome {
  if (bos.tokenId === null) return { notChecked: bos.source };
  if (bos.rows === 0) return { findings: [] };
  return {
    findings: [
      {
        code: "bos_rows",
        severity: bos.rows === rows ? "error" : "warning",
        label: null,
        what: `${bos.rows} of ${rows} rows are at the beginning-of-text token ${bos.tokenId}, where no word was read yet`,
        numbers: { tokenId: bos.tokenId, rows: bos.rows, share: bos.share ?? 0, threshold: 0 },
        advice: 'Leave them out: filter(["position"], ({ position }) => position > 0).',
      },
    ],
  };
}

/** Equal rows count as several and lie on both sides of a split. */
function lintRepeatedRows({ repeatedRows, rows, layers }: DatasetDescription): LintOutcome {
  if (rows < 2 || layers.length === 0) return { notChecked: `${rows} rows of ${layers.length} layers` };
  const share = repeatedRows.share ?? 0;
  if (share <= manyRepeated) return { findings: [] };
  return {
    findings: [
      {
        code: "repeated_rows",
        severity: "warning",
        label: null,
        what: `${repeatedRows.rows} of ${rows} rows equal an earlier row in every layer`,
        numbers: { rows: repeatedRows.rows, share, threshold: manyRepeated },
        advice:
          "Rows before the first difference between prompts are equal: choose later positions, or leave repeated texts out.",
      },
    ],
  };
}

/** One finding a layer is too many to read: the first three, and how many more. */
function perLayer(layers: readonly LayerHealth[], make: (layer: LayerHealth) => LintFinding): LintOutcome {
  const findings = layers.slice(0, 3).map(make);
  const last = findings.at(-1);
  if (last && layers.length > findings.length) {
    const more = layers.length - findings.length;
    last.what += `; so are ${more} more layers`;
    last.numbers = { ...last.numbers, moreLayers: more };
  }
  return { findings };
}

export const rowLints: Readonly<Partial<Record<LintCode, (description: DatasetDescription) => LintOutcome>>> =
  {
    non_finite: lintNonFinite,
    bos_rows: lintBos,
    constant_dimensions: lintConstantDimensions,
    repeated_rows: lintRepeatedRows,
  };
