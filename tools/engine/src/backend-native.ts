import type { NativeBinding } from "@residua/analysis/native-backend";
import * as tf from "@tensorflow/tfjs-core";
import type { MatrixBackend } from "./backend.ts";
import { EngineError } from "./engine-error.ts";
import { rowsAtOnce } from "./row-independence.ts";

/** TensorFlow's own library, by the addon of tfjs. Throws EngineError `backend_unavailable` with the reason. */
export async function startNative(): Promise<MatrixBackend> {
  const { loadNative } = await import("@residua/analysis/native-backend");
  const outcome = await loadNative(tf);
  if ("reason" in outcome) {
    const message = `the native backend cannot be used: ${outcome.reason}. Run residua backend install, or take the backend wasm.`;
    throw new EngineError("backend_unavailable", message);
  }
  const { binding, isUsingGpuDevice } = outcome.backend;
  let tensors = 0;
  return {
    name: "native",
    device: isUsingGpuDevice ? "GPU, TensorFlow (CUDA)" : "CPU, TensorFlow",
    createMatrix(values, inputs, outputs) {
      const id = binding.createTensor([inputs, outputs], binding.TF_FLOAT, values);
      tensors++;
      const multiply = (rows: Float32Array) => product(binding, rows, id, inputs);
      const block = rowsAtOnce(multiply, inputs, outputs);
      return {
        inputs,
        outputs,
        multiply: block === null ? multiply : (rows) => inBlocks(multiply, rows, block, inputs, outputs),
        dispose() {
          binding.deleteTensor(id);
          tensors--;
        },
      };
    },
    tensors: () => tensors,
  };
}

/**
 * rows × matrix. Of TensorFlow's products this is the one that goes to oneDNN, whose kernels add in one order for any number
 * of rows on processors with AVX-512; MatMul takes another way for one row.
 */
function product(binding: NativeBinding, rows: Float32Array, matrix: number, inputs: number): Float32Array {
  const input = binding.createTensor([rows.length / inputs, inputs], binding.TF_FLOAT, rows);
  let result: number | undefined;
  try {
    result = binding.executeOp("BatchMatMulV2", attributesOf(binding), [input, matrix], 1)[0]!.id;
    return binding.tensorDataSync(result);
  } finally {
    binding.deleteTensor(input);
    if (result !== undefined) binding.deleteTensor(result);
  }
}

const attributesOf = ({ TF_ATTR_TYPE, TF_ATTR_BOOL, TF_FLOAT }: NativeBinding) => [
  { name: "T", type: TF_ATTR_TYPE, value: TF_FLOAT },
  { name: "adj_x", type: TF_ATTR_BOOL, value: false },
  { name: "adj_y", type: TF_ATTR_BOOL, value: false },
];

/** The same product in blocks of exactly `block` rows, the last one filled up with zeros. */
function inBlocks(
  multiply: (rows: Float32Array) => Float32Array,
  rows: Float32Array,
  block: number,
  inputs: number,
  outputs: number,
): Float32Array {
  const count = rows.length / inputs;
  const result = new Float32Array(count * outputs);
  for (let row = 0; row < count; row += block) {
    const part = new Float32Array(block * inputs);
    part.set(rows.subarray(row * inputs, Math.min(count, row + block) * inputs));
    const wanted = Math.min(block, count - row) * outputs;
    result.set(multiply(part).subarray(0, wanted), row * outputs);
  }
  return result;
}
