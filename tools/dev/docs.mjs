// `npm run docs`: the API reference of the packages, by TypeDoc from their docstrings, into dist/api. For the client an export
// without a docstring, or a link that leads nowhere, is an error.
import { join } from "node:path";
import { ensureInstalled, root } from "./workspace.mjs";

await ensureInstalled();
const { Application, LogLevel } = await import("typedoc");

/** Everything that can stand in index.ts. */
const exported = ["Class", "Enum", "Function", "Interface", "TypeAlias", "Variable"];
const packages = [
  { name: "client", strict: true },
  { name: "lens", strict: false },
  { name: "analysis", strict: false },
];

let failed = 0;
for (const { name, strict } of packages) {
  const folder = join(root, "packages", name);
  const app = await Application.bootstrap({
    name: `@residua/${name}`,
    entryPoints: [join(folder, "src", "index.ts")],
    tsconfig: join(folder, "tsconfig.lib.json"),
    readme: join(folder, "README.md"),
    basePath: root,
    disableSources: true,
    excludeInternal: true,
    requiredToBeDocumented: exported,
    validation: { notExported: false, invalidLink: strict, notDocumented: strict },
    treatWarningsAsErrors: strict,
    logLevel: LogLevel.Warn,
  });
  const project = await app.convert();
  if (project !== undefined) {
    app.validate(project);
    if (!app.logger.hasErrors()) await app.generateDocs(project, join(root, "dist", "api", name));
  }
  const errors = app.logger.errorCount + (strict ? app.logger.warningCount : 0);
  if (errors > 0 || project === undefined) failed += 1;
  else console.log(`dist/api/${name}/index.html`);
}
if (failed > 0) console.error(`docs: ${failed} of ${packages.length} packages failed`);
process.exit(failed === 0 ? 0 : 1);
