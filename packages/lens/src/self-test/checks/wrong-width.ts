import { judge, notTried } from "../findings.ts";
import { wireVector } from "../self-test-requests.ts";
import type { SelfTestCheck } from "../self-test-check.ts";

/** S9. vllm-lens 1.3 then drops the layer from captures that others make at the same time, and answers some of them with 500. */
export const wrongWidth: SelfTestCheck = {
  code: "S9",
  title: "a vector of another width is refused",
  means: {
    pass: "a vector of another model is an error",
    fail: "a vector of another width steers nothing under a 200 and spoils captures of others at that time; lens refuses it where the width is known",
  },
  decides: [],
  requests: 1,
  usesCaptures: true,
  async run({ wrong, shapeOf, plain, text, steered, intrusive, salt }) {
    if (!intrusive)
      return [notTried("not tried: it can spoil requests of others (intrusive: true tries it)")];
    const width = (await plain()).of(steered)[0]?.length ?? 0;
    const vector = wireVector(steered, new Float32Array(width + 1).fill(0.01));
    const { body, refused } = await wrong({
      prompt: text,
      layers: [steered],
      steering: [vector],
      cacheSalt: salt(),
    });
    if (refused) return [judge(true, `${width + 1} numbers for ${width}: refused with ${refused.status}`)];
    const layers = shapeOf(body)?.[0] ?? 0;
    return [
      judge(false, `${width + 1} numbers for ${width}: 200, and ${layers} of 1 layers came`, { layers }),
    ];
  },
};
