import { InvalidArgumentError } from "commander";

/** Parses an option that is a share of something. */
export function share(text: string): number {
  const value = number(text);
  if (value <= 0 || value >= 1) throw new InvalidArgumentError("give a number above 0 and below 1");
  return value;
}

/** Parses an option that is a finite number. */
export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("give a number");
  return value;
}

/** Parses an option that is a sampling temperature. */
export function temperature(text: string): number {
  const value = number(text);
  if (value < 0 || value > 100) throw new InvalidArgumentError("give a number from 0 to 100");
  return value;
}

/** Makes the parser of an option that is a whole number. */
export function integer(low: number, high: number) {
  return (text: string): number => {
    const value = number(text);
    if (!Number.isInteger(value) || value < low || value > high) {
      throw new InvalidArgumentError(`give a whole number from ${low} to ${high}`);
    }
    return value;
  };
}
