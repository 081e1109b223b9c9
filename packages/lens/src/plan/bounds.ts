/** A number that lies between two others; exact where they are equal. */
export interface Bounds {
  readonly least: number;
  readonly most: number;
}

export function plusBounds(a: Bounds, b: Bounds): Bounds {
  return { least: a.least + b.least, most: a.most + b.most };
}

/** Undefined where one of them is not known. */
export function sumOfBounds(all: readonly (Bounds | undefined)[]): Bounds | undefined {
  return all.reduce<Bounds | undefined>((sum, one) => (sum && one ? plusBounds(sum, one) : undefined), {
    least: 0,
    most: 0,
  });
}

export function timesBounds(bounds: Bounds, factor: number): Bounds {
  return { least: bounds.least * factor, most: bounds.most * factor };
}
