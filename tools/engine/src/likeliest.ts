/**
 * The `count` ids of the highest scores in falling order, of equals the lower id first. A heap of the best
 * so far, the worst of them on top, so that most scores take one comparison.
 */
export function likeliest(scores: Float32Array | Float64Array, count: number): Uint32Array {
  const size = Math.min(count, scores.length);
  const heap = new Uint32Array(size);
  if (size === 0) return heap;
  const values = new Float64Array(size);

  /** Puts an id where the top is free, among the first `length`. */
  const sink = (at: number, length: number, id: number, value: number) => {
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      if (child + 1 < length && worse(child + 1, child)) child++;
      if (value < values[child]! || (value === values[child] && id > heap[child]!)) break;
      heap[at] = heap[child]!;
      values[at] = values[child]!;
      at = child;
    }
    heap[at] = id;
    values[at] = value;
  };
  const worse = (a: number, b: number) =>
    values[a]! < values[b]! || (values[a] === values[b] && heap[a]! > heap[b]!);

  for (let id = 0; id < size; id++) {
    heap[id] = id;
    values[id] = scores[id]!;
  }
  for (let at = (size >> 1) - 1; at >= 0; at--) sink(at, size, heap[at]!, values[at]!);
  // A later id of an equal score is worse, so only a higher one enters.
  for (let id = size; id < scores.length; id++) if (scores[id]! > values[0]!) sink(0, size, id, scores[id]!);
  for (let end = size - 1; end > 0; end--) {
    const id = heap[end]!;
    const value = values[end]!;
    heap[end] = heap[0]!;
    values[end] = values[0]!;
    sink(0, end, id, value);
  }
  return heap;
}
