type Numbers = Float32Array | Float64Array | Uint8Array | Uint32Array;

/** A copy that workers read in place: a message that holds it carries no numbers. */
export function sharedCopy<T extends Numbers>(values: T): T {
  const make = values.constructor as new (buffer: SharedArrayBuffer) => T;
  const copy = new make(new SharedArrayBuffer(values.byteLength));
  copy.set(values);
  return copy;
}
