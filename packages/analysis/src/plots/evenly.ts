/** At most `count` entries at even distances, the first and the last among them; the last alone where only one finds room. */
export function evenly<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  if (count <= 1) return list.slice(-1);
  return Array.from(
    { length: count },
    (_, index) => list[Math.round((index * (list.length - 1)) / (count - 1))]!,
  );
}
