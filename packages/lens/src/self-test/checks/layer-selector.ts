import { withField } from "../../profiles/field-path.ts";
import { judge } from "../findings.ts";
import type { SelfTestCheck } from "../self-test-check.ts";

/** S3. */
export const layerSelector: SelfTestCheck = {
  code: "S3",
  title: "layers that cannot be meant are refused",
  means: {
    pass: "a wrong list of layers is an error and not another capture",
    fail: "a wrong list of layers captures others under a 200; lens checks the list before it is sent",
  },
  decides: [],
  requests: 5,
  async run({ wrong, bodyOf, shapeOf, core, layerCount }) {
    const { path, form } = core.profile.capture;
    const list = (layers: readonly number[]) => (form === "json" ? JSON.stringify(layers) : layers);
    const cases: [string, unknown, number[]][] = [
      ["a layer that is not there", list([layerCount]), []],
      ["one of two layers not there", list([0, layerCount]), []],
      ["layer -1", list([-1]), []],
      ["a layer twice", list([0, 0]), [1]],
      ["a text that is no list", "0", layerCount === 1 ? [1] : []],
    ];
    const found: { name: string; came: number; right: boolean }[] = [];
    for (const [name, value, allowed] of cases) {
      const { body } = await wrong({ prompt: "Hi" }, withField(bodyOf({ prompt: "Hi" }), path, value));
      const came = body === undefined ? -1 : (shapeOf(body)?.[0] ?? 0);
      found.push({ name, came, right: came === -1 || allowed.includes(came) });
    }
    const odd = found.filter(({ right }) => !right);
    const measured = Object.fromEntries(
      found.map(({ name, came }) => [name, came === -1 ? "refused" : came]),
    );
    const detail = odd.map(
      ({ name, came }) => `${name}: 200 with ${came === 0 ? "no capture" : `${came} layers`}`,
    );
    return [
      judge(
        odd.length === 0,
        odd.length === 0 ? "each form is refused or read as it stands" : detail.join("; "),
        measured,
      ),
    ];
  },
};
