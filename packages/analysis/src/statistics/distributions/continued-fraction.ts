const tiny = 1e-300;

/** b₀ + a₁/(b₁ + a₂/(b₂ + …)) by Lentz's method as Thompson and Barnett changed it; `term(k)` gives [a_k, b_k] for k = 1, 2, … */
export function continuedFraction(first: number, term: (step: number) => readonly [number, number]): number {
  let value = first || tiny;
  let c = value;
  let d = 0;
  for (let step = 1; step < 100_000; step++) {
    const [a, b] = term(step);
    d = 1 / (b + a * d || tiny);
    c = b + a / c || tiny;
    const change = c * d;
    value *= change;
    if (Math.abs(change - 1) < 3e-16) break;
  }
  return value;
}
