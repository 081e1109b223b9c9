import { z } from "zod";
import { missingColumn, missingLayer } from "../missing-column.ts";
import { pickRows } from "./pick-rows.ts";
import { checkViewOptions, nextStep, type ViewParts } from "./view-parts.ts";
import { pickedSource } from "../picked-source.ts";

export interface SelectOptions {
  /** Default: all. */
  layers?: readonly number[];
  /** Columns that are not layers; example and group are always kept, since every dataset has them. Default: all. */
  columns?: readonly string[];
}

const schema = {
  layers: z.array(z.int()).min(1).optional(),
  columns: z.array(z.string()).optional(),
};

/** Some of the layers and columns. Throws DatasetError `no_such_column`, `no_such_layer`. */
export function selectColumns({ source, lineage }: ViewParts, options: SelectOptions): ViewParts {
  checkViewOptions("select", options, schema);
  const { layers = source.layers, columns = source.columns } = options;
  const layer = layers.find((asked) => !source.layers.includes(asked));
  if (layer !== undefined) throw missingLayer(lineage.name, layer, source.layers);
  const column = columns.find((asked) => !source.columns.includes(asked));
  if (column !== undefined) throw missingColumn(lineage.name, column, source.fields);
  const kept = new Set(["example", "group", ...columns]);
  const shape = {
    ...source,
    layers: source.layers.filter((asked) => layers.includes(asked)),
    fields: source.fields.filter(({ name }) => kept.has(name)),
  };
  const how = [
    ...(options.layers ? [`layers ${shape.layers.join(", ")}`] : []),
    ...(options.columns ? [`columns ${shape.fields.map(({ name }) => name).join(", ")}`] : []),
  ].join("; ");
  return {
    source: pickedSource(lineage.name, shape, (request) => pickRows(source, request)),
    lineage: nextStep(lineage, { how: `select ${how || "all"}` }),
  };
}
