import type { GeneratedToken } from "@residua/engine";
import type { ServedModel } from "@residua/engine/api";
import type { PreparedRequest } from "./prepare-request.ts";

/** Seconds; vLLM's own bounds for the time to the first token. */
const firstTokenBounds = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640,
  2560,
];

/** Tells of one request as it runs. */
interface Watch {
  readonly token: (token: GeneratedToken) => void;
  /** Counts the choices that did not end, and throws the error on. */
  readonly failed: (error: unknown) => never;
}

/** Counts what GET /metrics shows beside the engine's own counts. */
export class Metrics {
  readonly #finished: Record<"stop" | "length" | "abort" | "error", number> = {
    stop: 0,
    length: 0,
    abort: 0,
    error: 0,
  };
  readonly #firstToken = firstTokenBounds.map(() => 0);
  #firstTokenSum = 0;
  #firstTokenCount = 0;

  watch({ generations }: PreparedRequest): Watch {
    const begun = performance.now();
    let open = generations.reduce((sum, { n = 1 }) => sum + n, 0);
    let first = true;
    return {
      token: ({ finishReason }) => {
        if (first) this.#observe((performance.now() - begun) / 1000);
        first = false;
        if (finishReason === null) return;
        this.#finished[finishReason]++;
        open--;
      },
      failed: (error) => {
        const left = error instanceof Error && error.message === "the connection closed";
        this.#finished[left ? "abort" : "error"] += open;
        throw error;
      },
    };
  }

  #observe(seconds: number): void {
    firstTokenBounds.forEach((bound, i) => {
      if (seconds <= bound) this.#firstToken[i]!++;
    });
    this.#firstTokenSum += seconds;
    this.#firstTokenCount++;
  }

  /** The metrics in Prometheus' text form, under vLLM's names. */
  text({ id, model }: ServedModel): string {
    const stats = model.stats();
    const labels = (more = "") => `{engine="0",${more}model_name=${JSON.stringify(id)}}`;
    const one = (name: string, kind: "gauge" | "counter", help: string, value: number) =>
      metric(name, kind, help, [`${name}${labels()} ${value}`]);
    const ttft = "vllm:time_to_first_token_seconds";
    return [
      one("vllm:num_requests_running", "gauge", "Prompts under way.", stats.active),
      one("vllm:num_requests_waiting", "gauge", "Prompts that have not begun.", stats.waiting),
      one("vllm:num_preemptions_total", "counter", "Always 0: nothing is preempted.", 0),
      one("vllm:prefix_cache_queries_total", "counter", "Prompt tokens looked up.", stats.prefixQueries),
      one("vllm:prefix_cache_hits_total", "counter", "Prompt tokens found there.", stats.prefixHits),
      one(
        "vllm:prompt_tokens_total",
        "counter",
        "Prompt tokens, run or found in the cache.",
        stats.promptTokens + stats.prefixHits,
      ),
      one("vllm:generation_tokens_total", "counter", "Tokens generated.", stats.generatedTokens),
      metric(
        "vllm:request_success_total",
        "counter",
        "Choices that ended, by how.",
        Object.entries(this.#finished).map(
          ([reason, count]) => `vllm:request_success_total${labels(`finished_reason="${reason}",`)} ${count}`,
        ),
      ),
      metric(ttft, "histogram", "Seconds to the first token of a request.", [
        ...firstTokenBounds.map(
          (bound, i) => `${ttft}_bucket${labels(`le="${bound}",`)} ${this.#firstToken[i]}`,
        ),
        `${ttft}_bucket${labels(`le="+Inf",`)} ${this.#firstTokenCount}`,
        `${ttft}_count${labels()} ${this.#firstTokenCount}`,
        `${ttft}_sum${labels()} ${this.#firstTokenSum}`,
      ]),
    ].join("");
  }
}

function metric(name: string, kind: string, help: string, lines: readonly string[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join("\n")}\n`;
}
