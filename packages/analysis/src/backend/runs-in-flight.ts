let count = 0;

/** How many computations of this package are under way. */
export function runsInFlight(): number {
  return count;
}

/** Marks a computation as under way, until the function that it returns is called. */
export function enterRun(): () => void {
  count++;
  return () => void count--;
}
