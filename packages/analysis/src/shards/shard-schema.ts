import {
  Bool,
  Field,
  FixedSizeList,
  Float64,
  Int32,
  Schema,
  Uint16,
  Utf8,
  type DataType,
} from "apache-arrow";
import type { LabelType } from "../examples/example.ts";

/** What is the same for every shard of a dataset. */
export interface ShardColumns {
  labels: Readonly<Record<string, LabelType>>;
  layers: readonly number[];
  hiddenSize: number;
}

/** What tells shards of one and of other datasets apart; kept in the Arrow schema's metadata. */
export interface ShardIdentity {
  /** Hash of the plan. */
  plan: string;
  /** Place among the shards, 0-based. */
  shard: number;
  /** Examples before this shard. */
  firstExample: number;
  examples: number;
  /** The name that the answers carried. */
  checkpoint: string;
}

export type ColumnKind = LabelType | "int32" | "layer";

export interface ColumnSpec {
  name: string;
  kind: ColumnKind;
  nullable: boolean;
}

/** Columns of a shard, in order: one row per selected token. */
export function columnSpecs({ labels, layers }: ShardColumns): ColumnSpec[] {
  const of = (name: string, kind: ColumnKind, nullable = false): ColumnSpec => ({ name, kind, nullable });
  return [
    of("example", "utf8"),
    of("group", "utf8"),
    of("split", "utf8", true),
    ...Object.entries(labels).map(([label, kind]) => of(label, kind)),
    of("position", "int32"),
    of("token_id", "int32", true),
    of("token", "utf8", true),
    ...layers.map((layer) => of(layerColumn(layer), "layer")),
  ];
}

export function layerColumn(layer: number): string {
  return `layer_${layer}`;
}

/** Arrow schema of a shard. Arrow has no bfloat16: layers are `FixedSizeList<Uint16>` of its bits, and the field's metadata says so. */
export function shardSchema(columns: ShardColumns, identity: ShardIdentity): Schema {
  const fields = columnSpecs(columns).map(({ name, kind, nullable }) => {
    const metadata = kind === "layer" ? new Map([["dtype", "bfloat16"]]) : new Map<string, string>();
    return new Field(name, arrowType(kind, columns.hiddenSize), nullable, metadata);
  });
  return new Schema(fields, identityMetadata(identity));
}

export function arrowType(kind: ColumnKind, hiddenSize: number): DataType {
  switch (kind) {
    case "bool":
      return new Bool();
    case "float64":
      return new Float64();
    case "utf8":
      return new Utf8();
    case "int32":
      return new Int32();
    case "layer":
      return new FixedSizeList(hiddenSize, new Field("item", new Uint16(), false));
  }
}

const numbers = ["shard", "firstExample", "examples"] as const;

function identityMetadata(identity: ShardIdentity): Map<string, string> {
  return new Map([
    ["residua.schemaVersion", "1"],
    ["residua.plan", identity.plan],
    ["residua.checkpoint", identity.checkpoint],
    ...numbers.map((key): [string, string] => [`residua.${key}`, String(identity[key])]),
  ]);
}

/** The identity that a shard's metadata states, or undefined when it states none. */
export function readIdentity(metadata: ReadonlyMap<string, string>): ShardIdentity | undefined {
  const plan = metadata.get("residua.plan");
  const checkpoint = metadata.get("residua.checkpoint");
  const [shard, firstExample, examples] = numbers.map((key) => {
    const text = metadata.get(`residua.${key}`);
    return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  });
  if (plan === undefined || checkpoint === undefined) return undefined;
  if (shard === undefined || firstExample === undefined || examples === undefined) return undefined;
  return { plan, checkpoint, shard, firstExample, examples };
}
