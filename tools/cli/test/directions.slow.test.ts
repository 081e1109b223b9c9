import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { direction, saveDirection } from "@residua/lens";
import { modelFolder } from "@residua/tiny-model";
import { expect, test } from "vitest";
import { residua } from "./residua-process.ts";

test("the embedded server loads what export --ablate wrote", async () => {
  const scratch = mkdtempSync(join(tmpdir(), "residua-ablate-"));
  try {
    const vector = Float32Array.from({ length: 96 }, (_, i) => ((i * 37 + 11) % 64) / 64 - 0.5);
    const saved = await saveDirection(scratch, direction({ layer: 2, vector, method: "formula" }), {
      name: "truth",
    });
    const to = join(scratch, "model");
    const ablated = await residua(["export", "--ablate", saved, "--model", modelFolder, "--to", to]);
    expect(ablated.code, ablated.stderr).toBe(0);
    expect(ablated.stdout).toContain("13 tensors changed");
    const prompt = "The city of Paris is in Europe. Verdict:";
    const completed = await residua(["complete", prompt, "--model", to, "--max-tokens", "1", "--json"]);
    expect(completed.code, completed.stderr).toBe(0);
    expect(JSON.parse(completed.stdout)).toMatchObject({ usage: { completion_tokens: 1 } });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
