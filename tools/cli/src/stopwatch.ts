import type { Output } from "./output.ts";

/** Times the steps of a run, telling each as it begins. */
export interface Stopwatch {
  time<T>(step: string, work: () => Promise<T>): Promise<T>;
  /** The steps so far, and what the process spent beside them since it began: the sum is the time a user waited. */
  timings(): { step: string; seconds: number }[];
}

/** A stopwatch that tells each step on stderr. */
export function createStopwatch(output: Output): Stopwatch {
  const timings: { step: string; seconds: number }[] = [];
  return {
    async time(step, work) {
      output.progress(`${step} …`);
      const began = performance.now();
      const result = await work();
      timings.push({ step, seconds: (performance.now() - began) / 1000 });
      return result;
    },
    timings() {
      const told = timings.reduce((sum, { seconds }) => sum + seconds, 0);
      return [
        ...timings,
        {
          step: "the rest: loading, reading, writing, closing",
          seconds: Math.max(0, performance.now() / 1000 - told),
        },
      ];
    },
  };
}
