type Short = "last" | "first" | "all" | { last: number };

/** Positions selected of `positions` captured ones, ascending: counted apart from the code under test. */
export function selectedPositions(selection: Short, positions: number): number[] {
  const all = Array.from({ length: positions }, (_, position) => position);
  if (selection === "all") return all;
  return selection === "first" ? all.slice(0, 1) : all.slice(selection === "last" ? -1 : -selection.last);
}
