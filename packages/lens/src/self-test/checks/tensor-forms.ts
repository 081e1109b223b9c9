import type { WireSteeringVector, WireTensor } from "@residua/client";
import { compressTensor } from "../../codec/compress-tensor.ts";
import { encodeTensor } from "../../codec/tensor-codec.ts";
import { withField } from "../../profiles/field-path.ts";
import { inconclusive, judge, notApplicable } from "../findings.ts";
import { largest, relativeError, short } from "../row-numbers.ts";
import type { Finding, SelfTestCheck } from "../self-test-check.ts";
import type { SelfTestContext } from "../self-test-context.ts";
import { decodeRows } from "../self-test-requests.ts";
import { tolerances } from "../tolerances.ts";

/** S14. */
export const tensorForms: SelfTestCheck = {
  code: "S14",
  title: "forms of tensors, and the binary transport",
  means: {
    pass: "each form of a tensor that the server takes means the same",
    fail: "a form of tensors is read as other numbers; lens sends raw float32 alone",
  },
  decides: ["binary"],
  requests: 6,
  usesCaptures: true,
  async run(context) {
    const { withVector, vector, directions, wrong, text, steered, core, salt } = context;
    const [direction = new Float32Array()] = await directions();
    const expected = (await withVector()).of(steered);
    const float32 = encodeTensor(direction, [1, direction.length]);
    const bfloat16 = encodeTensor(direction, [1, direction.length], { dtype: "bfloat16" });
    const { original_dtype: _, ...unnamed } = float32;
    const forms: [string, WireTensor][] = [
      ["float32 without original_dtype", unnamed],
      ["float32 in zstd", await compressTensor(float32)],
      ["bfloat16 bits", bfloat16],
      ["bfloat16 bits in zstd", await compressTensor(bfloat16)],
    ];
    const found: { name: string; error: number | undefined }[] = [];
    for (const [name, activations] of forms) {
      const steering: WireSteeringVector = { ...(await vector(0)), activations };
      const { body } = await wrong({
        prompt: text,
        layers: [steered],
        steering: [steering],
        cacheSalt: salt(),
      });
      const rows = body === undefined ? undefined : await decodeRows(body, core.profile, steered);
      const error =
        rows &&
        (rows.length === expected.length
          ? largest(rows.map((row, p) => relativeError(row, expected[p] ?? row)))
          : 1);
      found.push({ name, error });
    }
    const bad = found.filter(({ error = 0 }) => error > tolerances.sameRow);
    const refused = found.filter(({ error }) => error === undefined).map(({ name }) => name);
    const measured = Object.fromEntries(
      found.map(({ name, error }) => [name, error === undefined ? "refused" : short(error)]),
    );
    const detail =
      bad.length > 0
        ? `read as other numbers: ${bad.map(({ name }) => name).join(", ")}`
        : `${found.length - refused.length} of ${found.length} other forms mean the same${refused.length > 0 ? `; refused: ${refused.join(", ")}` : ""}`;
    return [judge(bad.length === 0, detail, measured), await binaryTransport(context)];
  },
};

/** The same capture as bytes of a route of its own. */
async function binaryTransport({
  wrong,
  raw,
  tensorOf,
  plain,
  core,
  text,
  steered,
}: SelfTestContext): Promise<Finding> {
  const { binary } = core.profile;
  if (!binary) return notApplicable("no binary transport");
  const { body } = await wrong({ prompt: text, layers: [steered], binary: true });
  const wire = tensorOf(body) as { handle?: unknown } | undefined;
  if (typeof wire?.handle !== "string")
    return {
      status: "not applicable",
      detail: "no binary transport: the tensor came inside the answer",
      behaviour: { binary: false },
    };
  const { body: data } = await raw({ path: binary.route.replace("{handle}", wire.handle), bytes: true });
  if (!(data instanceof Uint8Array)) return inconclusive("the bytes of a handle did not come");
  const { handle: _handle, ...form } = wire;
  const rows = await decodeRows(withField({}, core.profile.answer, { ...form, data }), core.profile, steered);
  const expected = (await plain()).of(steered);
  const worst = largest(rows.map((row, p) => relativeError(row, expected[p] ?? row)));
  const same = rows.length === expected.length && worst <= tolerances.sameRow;
  return judge(
    same,
    `by the binary transport the rows differ by at most ${short(worst)}`,
    { binaryError: short(worst) },
    { binary: same },
  );
}
