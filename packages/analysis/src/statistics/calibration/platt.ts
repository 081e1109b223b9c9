/** p(positive) = 1 / (1 + exp(−(slope · score + intercept))). */
export interface PlattFit {
  slope: number;
  intercept: number;
}

/**
 * Platt (1999): a logistic regression of one number on the targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2) in place of 1 and 0, which keep it
 * finite on separable scores. Newton's method with halved steps (Lin, Lin and Weng 2007) on standardised scores.
 */
export function fitPlatt(scores: Float64Array, labels: Uint8Array): PlattFit {
  const n = scores.length;
  const positives = labels.reduce((sum, label) => sum + label, 0);
  const targets = [1 / (n - positives + 2), (positives + 1) / (positives + 2)];
  const mean = scores.reduce((sum, score) => sum + score / n, 0);
  const spread = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2 / n, 0));
  // Constant scores say nothing: only the intercept is fitted. Their spread may come out above 0, since the mean is rounded.
  const constant = scores.every((score) => score === scores[0]);
  const scale = constant || spread === 0 ? 0 : 1 / spread;
  const z = scores.map((score) => (score - mean) * scale);
  let at = { slope: 0, intercept: Math.log((positives + 1) / (n - positives + 1)) };
  let loss = lossOf(z, labels, targets, at);
  for (let step = 0; step < 100; step++) {
    const { gradient, hessian } = derivatives(z, labels, targets, at);
    if (Math.hypot(...gradient) <= 1e-13 * n) break;
    const move = solve(hessian, gradient);
    let share = 1;
    let next = moved(at, move, share);
    let lossThere = lossOf(z, labels, targets, next);
    while (lossThere > loss && share > 1e-10) {
      share /= 2;
      next = moved(at, move, share);
      lossThere = lossOf(z, labels, targets, next);
    }
    if (!(lossThere <= loss)) break;
    at = next;
    loss = lossThere;
  }
  const slope = at.slope * scale;
  return { slope, intercept: at.intercept - slope * mean };
}

export function applyPlatt({ slope, intercept }: PlattFit, score: number): number {
  return expit(slope * score + intercept);
}

function lossOf(z: Float64Array, labels: Uint8Array, targets: readonly number[], at: PlattFit): number {
  let sum = 0;
  z.forEach((value, row) => {
    const logit = at.slope * value + at.intercept;
    // log(1 + e^logit) − target · logit, without overflow.
    sum += Math.max(0, logit) + Math.log1p(Math.exp(-Math.abs(logit))) - targets[labels[row]!]! * logit;
  });
  return sum;
}

type Pair = [number, number];

function derivatives(z: Float64Array, labels: Uint8Array, targets: readonly number[], at: PlattFit) {
  const gradient: Pair = [0, 0];
  // A ridge far below rounding keeps the system solvable where scores are constant.
  const hessian: [number, number, number] = [1e-12, 0, 1e-12];
  z.forEach((value, row) => {
    const p = expit(at.slope * value + at.intercept);
    const residual = p - targets[labels[row]!]!;
    gradient[0] += residual * value;
    gradient[1] += residual;
    const weight = p * (1 - p);
    hessian[0] += weight * value * value;
    hessian[1] += weight * value;
    hessian[2] += weight;
  });
  return { gradient, hessian };
}

function solve([a, b, c]: readonly [number, number, number], [x, y]: Pair): Pair {
  const determinant = a * c - b * b;
  return [(c * x - b * y) / determinant, (a * y - b * x) / determinant];
}

function moved(from: PlattFit, move: Pair, share: number): PlattFit {
  return { slope: from.slope - share * move[0], intercept: from.intercept - share * move[1] };
}

function expit(x: number): number {
  return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
}
