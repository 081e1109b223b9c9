import { Bool, Field, Float64, Int32, List, Schema, Utf8, type DataType } from "apache-arrow";
import type { ColumnField, ColumnType } from "./column-field.ts";
import { rowListType, type RowDtype } from "./row-dtype.ts";

/** What is the same for every shard of a dataset. */
export interface ShardColumns {
  /** Columns that are not layers, in order. */
  fields: readonly ColumnField[];
  layers: readonly number[];
  hiddenSize: number;
  dtype: RowDtype;
}

/** What tells shards of one and of other datasets apart; kept in the Arrow schema's metadata. */
export interface ShardIdentity {
  /** Hash of what the dataset was made of: of a collected one its plan's. */
  plan: string;
  /** Place among the shards, 0-based. */
  shard: number;
  /** Examples before this shard. */
  firstExample: number;
  examples: number;
  /** The name that the answers carried; empty where it is not known. */
  checkpoint: string;
}

export type ColumnKind = ColumnType | "layer";

export interface ColumnSpec {
  name: string;
  kind: ColumnKind;
  nullable: boolean;
}

/** Columns of a shard, in order: one row per selected token. */
export function columnSpecs({ fields, layers }: Pick<ShardColumns, "fields" | "layers">): ColumnSpec[] {
  return [
    ...fields.map(({ name, type, nullable }) => ({ name, kind: type, nullable })),
    ...layers.map((layer) => ({ name: layerColumn(layer), kind: "layer" as const, nullable: false })),
  ];
}

export function layerColumn(layer: number): string {
  return `layer_${layer}`;
}

/** Arrow schema of a shard. The metadata of a layer's field says what its numbers are. */
export function shardSchema(columns: ShardColumns, identity: ShardIdentity): Schema {
  const { dtype, hiddenSize } = columns;
  const fields = columnSpecs(columns).map(({ name, kind, nullable }) => {
    const layer = kind === "layer";
    const type = layer ? rowListType(dtype, hiddenSize) : arrowType(kind);
    return new Field(name, type, nullable, new Map(layer ? [["dtype", dtype]] : []));
  });
  return new Schema(fields, identityMetadata(identity));
}

export function arrowType(type: ColumnType): DataType {
  switch (type) {
    case "bool":
      return new Bool();
    case "float64":
      return new Float64();
    case "utf8":
      return new Utf8();
    case "int32":
      return new Int32();
    case "int32[]":
      return new List(new Field("item", new Int32(), false));
  }
}

const numbers = ["shard", "firstExample", "examples"] as const;

function identityMetadata(identity: ShardIdentity): Map<string, string> {
  return new Map([
    ["residua.schemaVersion", "2"],
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

export function shardName(index: number): string {
  return `shard-${String(index).padStart(5, "0")}.arrow`;
}

export function isShardName(name: string): boolean {
  return /^shard-\d{5,}\.arrow$/.test(name);
}
