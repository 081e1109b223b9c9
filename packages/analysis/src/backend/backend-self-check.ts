import * as tf from "@tensorflow/tfjs";

const size = 48;

/**
 * Computes small things on the active backend whose answers are known exactly, and says what came out wrong, if anything:
 * some device limits and library versions answer wrongly without an error.
 */
export async function backendSelfCheck(): Promise<string | undefined> {
  const left = Float32Array.from({ length: size * size }, (_, i) => ((i * 7) % 11) - 5);
  const right = Float32Array.from({ length: size * size }, (_, i) => ((i * 5) % 13) - 6);
  const whole = Int32Array.from({ length: size }, (_, i) => i * 1000 - 7);
  const tensors = tf.tidy(() => ({
    matMul: tf.matMul(tf.tensor2d(left, [size, size]), tf.tensor2d(right, [size, size])),
    sum: tf.sum(tf.tensor2d(left, [size, size]), 0),
    // libtensorflow from 2.18 on rounds int32 to zeros.
    round: tf.round(tf.tensor1d(whole, "int32")),
    sigmoid: tf.sigmoid(tf.tensor1d([-30, 0, 30])),
  }));
  const expected: Record<keyof typeof tensors, ArrayLike<number>> = {
    matMul: product(left, right),
    sum: columnSums(left),
    round: whole,
    sigmoid: [0, 0.5, 1],
  };
  try {
    for (const name of Object.keys(expected) as (keyof typeof expected)[]) {
      const found = await tensors[name].data();
      const wrong = found.findIndex((value, i) => !(Math.abs(value - (expected[name][i] as number)) <= 1e-6));
      if (wrong >= 0) return `${name} gave ${found[wrong]} in place of ${expected[name][wrong]}`;
    }
    return undefined;
  } finally {
    tf.dispose(Object.values(tensors));
  }
}

function product(left: Float32Array, right: Float32Array): number[] {
  return Array.from({ length: size * size }, (_, at) => {
    const row = Math.floor(at / size) * size;
    let sum = 0;
    for (let k = 0; k < size; k++)
      sum += (left[row + k] as number) * (right[k * size + (at % size)] as number);
    return sum;
  });
}

function columnSums(values: Float32Array): number[] {
  return Array.from({ length: size }, (_, column) => {
    let sum = 0;
    for (let row = 0; row < size; row++) sum += values[row * size + column] as number;
    return sum;
  });
}
