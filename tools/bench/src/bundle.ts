import { mkdir } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * Programs of this folder (`client/client-process`) as plain JavaScript, with the client's sources as they are: what runs them from TypeScript
 * would add a call to each function that is made. Returns where each is, by its last name.
 */
export async function bundlePrograms(names: readonly string[]): Promise<Record<string, string>> {
  const outDir = `${root}.cache/bench-programs`;
  const inputs = names.map((name) => [
    basename(name),
    fileURLToPath(new URL(`./${name}.ts`, import.meta.url)),
  ]);
  await mkdir(outDir, { recursive: true });
  await build({
    configFile: false,
    root,
    logLevel: "warn",
    // Registry packages stay outside: they are what a user installs.
    ssr: { noExternal: [/^@residua\//], resolve: { conditions: ["@residua/source", "node"] } },
    build: {
      ssr: true,
      target: "node20",
      minify: false,
      outDir,
      emptyOutDir: false,
      rollupOptions: {
        input: Object.fromEntries(inputs) as Record<string, string>,
        output: { entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
      },
    },
  });
  return Object.fromEntries(inputs.map(([name]) => [name, `${outDir}/${name}.mjs`]));
}
