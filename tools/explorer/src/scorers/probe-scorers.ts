import type { TrainedProbe } from "@residua/analysis";
import { refuseOtherLayer } from "./pick-layer.ts";
import { type LayerScorer, meanOfShown, type Scorer } from "./scorer.ts";

/** A trained probe and the file that it was read from. */
export interface ProbeFile {
  readonly file: string;
  readonly probe: TrainedProbe;
}

type LabelValue = NonNullable<TrainedProbe["positive"]>;

/** What a probe scores: of two classes or a number one thing, of more classes each. */
interface Scored extends ProbeFile {
  readonly what: LabelValue | null;
}

/**
 * Probes that differ in their layer alone are one scorer. A second one of the same layer begins another. Probes whose layer is
 * not known are left out: the caller tells of them.
 */
export function probeScorers(files: readonly ProbeFile[]): Scorer[] {
  const groups: Map<number, Scored>[] = [];
  const byTitle = new Map<string, Map<number, Scored>[]>();
  for (const one of files.flatMap(scoredOf)) {
    const layer = one.probe.layer;
    if (layer === null) continue;
    const title = titleOf(one);
    const alike = byTitle.get(title) ?? [];
    byTitle.set(title, alike);
    let group = alike.find((before) => !before.has(layer));
    if (group === undefined) {
      group = new Map();
      alike.push(group);
      groups.push(group);
    }
    group.set(layer, one);
  }
  return groups.map((group) =>
    probeScorer(group, { alone: byTitle.get(titleOf(first(group)))!.length === 1 }),
  );
}

function first(group: ReadonlyMap<number, Scored>): Scored {
  return [...group.values()][0]!;
}

function scoredOf({ file, probe }: ProbeFile): Scored[] {
  return (probe.classes ?? [probe.positive]).map((what) => ({ file, probe, what }));
}

function titleOf({ probe, what }: Scored): string {
  const { name, label, task } = probe;
  const of = label === null ? "" : ` of ${label}`;
  return `${name} probe${of}${task === "classes" ? ` (${String(what)})` : ""}`;
}

function probeScorer(group: ReadonlyMap<number, Scored>, { alone }: { alone: boolean }): Scorer {
  const one = first(group);
  const layers = [...group.keys()].sort((a, b) => a - b);
  // Two scorers of one title are told apart by their file.
  const name = alone ? titleOf(one) : `${titleOf(one)}, ${one.file}`;
  const [above, below] = sidesOf(one);
  return {
    id: `probe:${one.file}${one.probe.task === "classes" ? `:${String(one.what)}` : ""}`,
    name,
    measures: `score of the ${titleOf(one)}`,
    layers,
    above,
    below,
    madeOf: null,
    async at(layer) {
      refuseOtherLayer(name, layers, layer);
      return Promise.resolve(layerScorer(group.get(layer)!));
    },
  };
}

function sidesOf({ probe, what }: Scored): [string, string] {
  const { task, label, positive } = probe;
  const named = label ?? "label";
  if (task === "number") return [`larger ${named}`, `smaller ${named}`];
  if (task === "classes") return [`${named} is ${String(what)}`, `${named} is not ${String(what)}`];
  return [`${named} is ${String(positive)}`, `${named} is not ${String(positive)}`];
}

function layerScorer({ file, probe, what }: Scored): LayerScorer {
  const { task, threshold, bias, width, layer, model, classes } = probe;
  const column = classes?.findIndex((one) => one === what) ?? 0;
  const columns = classes?.length ?? 1;
  // Only a boundary of single rows says something of a token.
  const stored = threshold !== null && threshold.pool === null ? threshold.value : null;
  const known = stored ?? (task === "binary" && bias !== "none" ? 0 : null);
  return {
    layer: layer!,
    origin: file,
    width,
    model,
    threshold: known,
    thresholdIs:
      stored !== null
        ? "the one that is stored with the probe"
        : known === null
          ? meanOfShown
          : "where the probe changes sides",
    score(values) {
      const scores = probe.score(values);
      if (columns === 1) return scores;
      return Float64Array.from(
        { length: scores.length / columns },
        (_, row) => scores[row * columns + column]!,
      );
    },
    get direction() {
      try {
        return probe.direction(task === "classes" ? { class: what! } : {});
      } catch (error) {
        return (error as Error).message;
      }
    },
  };
}
