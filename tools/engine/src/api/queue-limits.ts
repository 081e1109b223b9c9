/** Requests that a key may have under way, and those that may wait behind them. */
export const queueLimits: { readonly running: number; readonly waiting: number } = {
  running: 16,
  waiting: 64,
};
