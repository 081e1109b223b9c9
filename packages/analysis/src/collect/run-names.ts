import { shardName } from "../shards/shard-schema.ts";

/** Name of a shard. A run that replaces shards that a manifest lists gives its own other names than those. */
export function runShardName(index: number, run: number): string {
  const name = shardName(index);
  return run === 0 ? name : name.replace(/\.arrow$/, `.r${run}.arrow`);
}

/** The run that made a file of this name; undefined of a name that no run gives. */
export function runOfName(name: string): number | undefined {
  const found = /^(?:shard-\d{5,}|failures)(?:\.r(\d{1,9}))?\.arrow$/.exec(name);
  return found === null ? undefined : Number(found[1] ?? 0);
}
