import type { LayerChoices, ModelDescription, Selection, ServerFingerprint } from "@residua/lens";
import type { ChatSelection } from "../examples/chat-selection.ts";
import type { CheckedExamples } from "../examples/example.ts";
import type { ColumnField } from "../shards/column-field.ts";
import { collectedFields } from "./collected-fields.ts";
import type { CollectFailure } from "./collect-failure.ts";
import type { CollectLens } from "./collect-lens.ts";
import type { CollectSettings } from "./collect-options.ts";
import { layerNumbers, makePlan, type Plan, type PlannedExample } from "./dataset-plan.ts";
import { FailureLimit } from "./failure-limit.ts";
import { prepareItems, type Prepared } from "./prepare-items.ts";
import { selectionData } from "./select-rows.ts";

/** What one call of `collect` is about: the same for its first run and for that which tries failed examples again. */
export interface Collection {
  readonly lens: CollectLens;
  readonly model: string;
  readonly settings: CollectSettings;
  readonly select: Selection | ChatSelection;
  readonly columns: readonly ColumnField[];
  readonly examples: readonly PlannedExample[];
  readonly server: ServerFingerprint | undefined;
  readonly plan: Plan;
  /** ISO 8601, UTC. */
  readonly began: string;
  /** Examples that have failed already, by index: rollouts that could not be sampled or graded. */
  readonly given: ReadonlyMap<number, CollectFailure>;
  /** The plan of some of the examples, in this order. */
  readonly planOf: (examples: readonly PlannedExample[]) => Plan;
  /** What is sent for each of some examples. */
  prepare(examples: readonly PlannedExample[], folder: string, given: Collection["given"]): Promise<Prepared>;
}

/** Asks the lens what the model is, and makes the plan. */
export async function makeCollection(
  lens: CollectLens,
  checked: CheckedExamples & { examples: readonly PlannedExample[] },
  settings: CollectSettings,
): Promise<Collection> {
  settings.signal?.throwIfAborted();
  const model = await lens.describe(settings.model);
  const server = lens.fingerprint?.(model.id);
  const select = selectionData(settings.select);
  const checkpoint = model.checkpoint.value;
  const chats = checked.examples.some(({ messages }) => messages !== null);
  const planOf = (examples: readonly PlannedExample[]): Plan =>
    makePlan(
      { examples },
      {
        model: model.id,
        checkpoint,
        layers: plannedLayers(settings.layers, model),
        selection: settings.select,
        maxTokens: settings.max_tokens,
        server: server?.hash ?? null,
        chat: chats ? settings.chat : null,
      },
    );
  const from = {
    model: model.id,
    checkpoint: checkpoint ?? null,
    server: server?.hash ?? null,
    layers: layerNumbers(settings.layers, model),
  };
  return {
    lens,
    model: model.id,
    settings,
    select,
    columns: collectedFields(checked),
    examples: checked.examples,
    server,
    plan: planOf(checked.examples),
    began: new Date().toISOString(),
    given: new Map(),
    planOf,
    prepare(examples, folder, failed) {
      const limit = new FailureLimit(folder, settings.maxFailures);
      return prepareItems({ lens, examples, settings, folder, from, select, limit, given: failed });
    },
  };
}

/** As they are in plans: `all` stays what was asked. */
function plannedLayers(layers: LayerChoices, model: ModelDescription): number[] | "all" {
  return layers === "all" ? layers : layerNumbers(layers, model);
}
