import { rowsAtOnce } from "../src/row-independence.ts";
import { Scheduler } from "../src/scheduler.ts";
import { mixedRequests } from "./mixed-requests.ts";
import { endlessTiny } from "./support.ts";

/** Whether mixed requests give the same bits together and alone on the native backend, and in which blocks it multiplies. */
export async function packedEqualsAlone(): Promise<{ equal: boolean; block: number | null }> {
  const { network, tokenizer } = await endlessTiny("native");
  const together = new Scheduler(network, tokenizer);
  const packed = await Promise.all(mixedRequests().map((request) => together.submit(request)));
  let equal = true;
  for (const [i, request] of mixedRequests().entries()) {
    const alone = await new Scheduler(network, tokenizer).submit(request);
    equal &&= JSON.stringify(plain(alone)) === JSON.stringify(plain(packed[i]!));
  }
  const { inputs, outputs } = network.weights.layers[0]!.gateUp;
  const unknown = () => {
    throw new Error("that shape was not tried");
  };
  return { equal, block: rowsAtOnce(unknown, inputs, outputs) };
}

/** Captures as numbers, which JSON gives back to the bit. */
const plain = ({ choices, capture }: Awaited<ReturnType<Scheduler["submit"]>>) => ({
  choices,
  capture: capture?.values.map((values) => [...values]),
});
