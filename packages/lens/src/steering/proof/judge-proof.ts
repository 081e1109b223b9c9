import type { CaptureCheck } from "../../lens-types.ts";
import { VerificationError } from "../../verify/verification-error.ts";
import type { LayerProof, SteeredRow, StillRow } from "./layer-proof.ts";

/** A row shows steering where rounding and noise explain at most this much of it. */
const visible = ({ allowed }: { allowed: number }) => allowed <= 0.5;
const right = ({ relativeError, allowed }: SteeredRow) => relativeError <= allowed;
const moved = (row: StillRow) => visible(row) && Math.abs(row.coefficient) > 0.5;
/** Servers repeat a row within 5 % whatever else is in the batch. */
const muchChanged = ({ change }: StillRow) => change > 0.1;

/**
 * The checks of a layer that was proven, or VerificationError with what went wrong: `steering_layers_below`, `steering_misplaced`,
 * `steering_dropped`, `steering_prefill_only`, `steering_rows_missed`, `steering_doubled`, `steering_scale`,
 * `steering_norm_match`, `steering_delta`.
 */
export function judgeProof(proof: LayerProof): CaptureCheck[] {
  const { layer } = proof;
  const below = proof.below?.filter((row) => moved(row) || muchChanged(row)) ?? [];
  if (below.length > 0) {
    throw failed(
      "steering_layers_below",
      proof,
      `layer ${layer - 1} changed at positions ${places(below)} (by ${percent(Math.max(...below.map(({ change }) => change)))} of the stream) although only layer ${layer} and above are steered. ` +
        "Known causes: a layer is counted from 1 where it should be from 0, when steering or capturing; the rows are another request's",
    );
  }
  const foreign = proof.still.filter(moved);
  if (foreign.length > 0) {
    throw failed(
      "steering_misplaced",
      proof,
      `layer ${layer}: positions ${places(foreign)} were steered, and the vectors name only ${places(proof.steered) || "none"}. ` +
        "Known cause: positions that count from the start of each pass (every vllm-lens to 1.3): index 0 acts on each generated token",
    );
  }
  const rows = proof.steered.filter(visible);
  const wrong = rows.filter((row) => !right(row));
  if (wrong.length > 0) throw wrongRows(proof, rows, wrong);
  return [...deltaChecks(proof, rows), ...stillChecks(proof)];
}

function wrongRows(
  proof: LayerProof,
  rows: readonly SteeredRow[],
  wrong: readonly SteeredRow[],
): VerificationError {
  const at = `layer ${proof.layer}`;
  const unsteered = wrong.filter(({ size, allowed }) => size <= allowed);
  const generated = rows.filter(({ role }) => role === "generated");
  if (unsteered.length === rows.length) {
    return failed(
      "steering_dropped",
      proof,
      `${at}: nothing was steered; the change is ${measured(rows)} times the vectors. ` +
        "Known causes: the server or a proxy does not read the field; the plugin is off; the vector's width is wrong; " +
        "a named position that no pass of the server reaches",
    );
  }
  if (unsteered.length === wrong.length) {
    const all = generated.length > 0 && unsteered.length === generated.length;
    if (all && !proof.named && unsteered.every(({ role }) => role === "generated")) {
      return failed(
        "steering_prefill_only",
        proof,
        `${at}: the prompt was steered and no generated token was (positions ${places(unsteered)}). Known cause: steering is not applied while decoding`,
      );
    }
    return failed(
      "steering_rows_missed",
      proof,
      `${at}: positions ${places(unsteered)} were not steered and the others were. Known causes: the first generated token is left out; positions count from the start of each pass`,
    );
  }
  const sameShape = rows.every(({ shapeError, allowed }) => shapeError <= allowed);
  if (sameShape && rows.every(({ coefficient }) => Math.abs(coefficient - 2) <= 0.25)) {
    return failed("steering_doubled", proof, `${at}: the vectors were added twice (${measured(rows)} times)`);
  }
  if (sameShape && proof.normMatch) {
    return failed(
      "steering_norm_match",
      proof,
      `${at}: the vectors were added with ${measured(rows)} times their strength. Known cause: norm_match takes the norm of half the stream (vllm-lens to 1.1)`,
    );
  }
  if (sameShape) {
    return failed(
      "steering_scale",
      proof,
      `${at}: the vectors were added with ${measured(rows)} times their strength. Known causes: the scale is not read, or read twice; the vector is normed`,
    );
  }
  return failed(
    "steering_delta",
    proof,
    `${at}: what changed at positions ${places(wrong)} is not the vectors: relative error ${percent(most(wrong))}, of which rounding and noise explain ${percent(Math.max(...wrong.map(({ allowed }) => allowed)))}. ` +
      "Known causes: another vector was added too; rows of another request; a layer counted from 1",
  );
}

function deltaChecks(proof: LayerProof, rows: readonly SteeredRow[]): CaptureCheck[] {
  const { layer, steered } = proof;
  const code = "steering_delta";
  const found = (["prompt", "generated"] as const).flatMap((role): CaptureCheck[] => {
    const asked = steered.filter((row) => row.role === role);
    const seen = rows.filter((row) => row.role === role);
    if (asked.length === 0) return [];
    if (seen.length === 0) {
      const detail = `layer ${layer}: the change at the ${role} rows is too small to tell from rounding (${measured(asked)} times the vectors)`;
      return [{ code, status: "unverified", detail }];
    }
    const detail = `layer ${layer}: ${seen.length} of ${asked.length} ${role} rows show scale · v, off by at most ${percent(most(seen))} (${measured(seen)} times)`;
    return [{ code, status: "pass", detail }];
  });
  const hidden = unshown(proof);
  if (hidden.length === 0) return found;
  const why =
    steered.length === 0
      ? "none of the rows that were compared is steered by them"
      : "no row shows their own part above rounding, or none of theirs was compared";
  const detail = `layer ${layer}: vectors ${hidden.join(", ")} (from 0) were not seen: ${why}`;
  return [...found, { code, status: "unverified", detail }];
}

function unshown({ vectors, shown }: LayerProof): number[] {
  return vectors.filter((index) => !shown.includes(index));
}

function stillChecks(proof: LayerProof): CaptureCheck[] {
  const { layer, still, below } = proof;
  const checks: CaptureCheck[] = [];
  if (still.length > 0) {
    const detail = `layer ${layer}: ${still.length} rows that no vector names are as they were`;
    // What nowhere shows may be anywhere.
    const sure = still.every(visible) && unshown(proof).length === 0;
    checks.push({ code: "steering_positions", status: sure ? "pass" : "unverified", detail });
  }
  if (below !== null && below.length > 0) {
    const change = Math.max(...below.map(({ change }) => change));
    const detail = `layer ${layer - 1} is as it was (within ${percent(change)})`;
    checks.push({ code: "steering_layers_below", status: "pass", detail });
  }
  return checks;
}

function failed(code: VerificationError["code"], proof: LayerProof, message: string): VerificationError {
  return new VerificationError(code, message, { proof });
}

function most(rows: readonly SteeredRow[]): number {
  return Math.max(...rows.map(({ relativeError }) => relativeError));
}

/** Lowest to highest coefficient. */
function measured(rows: readonly SteeredRow[]): string {
  const all = rows.map(({ coefficient }) => coefficient);
  const [low, high] = [Math.min(...all).toFixed(3), Math.max(...all).toFixed(3)];
  return low === high ? low : `${low} to ${high}`;
}

function percent(share: number): string {
  return `${(100 * share).toPrecision(2)} %`;
}

/** A list of positions that stays short. */
function places(rows: readonly { position: number }[]): string {
  const first = rows.slice(0, 8).map(({ position }) => position);
  return `${first.join(", ")}${rows.length > 8 ? `, … (${rows.length})` : ""}`;
}
