import { withField } from "../../profiles/field-path.ts";
import { judge, notApplicable } from "../findings.ts";
import type { Finding, SelfTestCheck } from "../self-test-check.ts";
import { wireVector } from "../self-test-requests.ts";

/** S16. */
export const refusals: SelfTestCheck = {
  code: "S16",
  title: "wrong requests are errors",
  means: {
    pass: "what cannot be done is an error with words, and the server goes on",
    fail: "a wrong request is answered as if it were right, or harms the server",
  },
  decides: [],
  requests: 5,
  usesCaptures: true,
  async run({ wrong, complete, raw, bodyOf, core, model, text, layerCount, directions }) {
    const { path, form } = core.profile.steering;
    const [direction = new Float32Array()] = await directions();
    const beyond = [wireVector(layerCount, direction)];
    const asked = bodyOf({ prompt: "Hi" });
    const unknown = await wrong({ prompt: "Hi" }, { model: `${model.id}-that-is-not-there` });
    const notJson = await wrong({ prompt: "Hi" }, withField(asked, path, "{this is no JSON"));
    const late = await wrong(
      { prompt: "Hi" },
      withField(asked, path, form === "json" ? JSON.stringify(beyond) : beyond),
    );
    const findings: Finding[] = [
      judge(unknown.refused !== undefined, `a model that is not there: ${unknown.refused?.status ?? 200}`),
      judge(notJson.refused !== undefined, `steering that is no JSON: ${notJson.refused?.status ?? 200}`),
      judge(
        late.refused !== undefined,
        `steering at layer ${layerCount} of ${layerCount}: ${late.refused?.status ?? 200}`,
      ),
    ];
    const key = await raw(
      { method: "POST", path: "/completions", body: asked },
      { authorization: "Bearer not-the-key" },
    );
    findings.push(
      key.refused
        ? judge([401, 403].includes(key.refused.status), `a wrong key: ${key.refused.status}`)
        : notApplicable("the server asks for no key"),
    );
    await complete({ prompt: text });
    findings.push(judge(true, "and the next request is answered"));
    return findings;
  },
};
