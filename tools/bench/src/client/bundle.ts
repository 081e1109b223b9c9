import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/**
 * The programs of this folder as plain JavaScript, with the client's sources as they are: what runs them from TypeScript
 * would add a call to each function that is made. Returns where each is.
 */
export async function bundlePrograms(names: readonly string[]): Promise<Record<string, string>> {
  const outDir = `${root}.cache/bench-client`;
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
        input: Object.fromEntries(
          names.map((name) => [name, fileURLToPath(new URL(`./${name}.ts`, import.meta.url))]),
        ),
        output: { entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
      },
    },
  });
  return Object.fromEntries(names.map((name) => [name, `${outDir}/${name}.mjs`]));
}
