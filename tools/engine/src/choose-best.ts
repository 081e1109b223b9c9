/**
 * The `count` candidates with the highest total log probability, the best first, of equals the earlier. A total and
 * no mean per token, so of two equally likely texts the shorter wins: as vLLM ranked `best_of` while it had it
 * (vllm/outputs.py, RequestOutput.from_seq_group). OpenAI's is the mean.
 */
export function chooseBest<T>(candidates: readonly T[], totals: readonly number[], count: number): T[] {
  return candidates
    .map((candidate, index) => ({ candidate, total: totals[index]! }))
    .sort((a, b) => b.total - a.total)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}
