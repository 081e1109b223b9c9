/** The misbehaviours that a request meets. */
export interface ActiveQuirks {
  has(name: string): boolean;
}

/** A server that behaves. */
export const noQuirks: ActiveQuirks = { has: () => false };
