import nx from "@nx/eslint-plugin";
import tseslint from "typescript-eslint";
import jsonParser from "jsonc-eslint-parser";

/** Imports run one way: client <- lens <- analysis <- tools and notebooks. */
const layers = [
  {
    sourceTag: "layer:client",
    onlyDependOnLibsWithTags: [],
    bannedExternalImports: ["@tensorflow/*", "apache-arrow"],
  },
  {
    sourceTag: "layer:lens",
    onlyDependOnLibsWithTags: ["layer:client"],
    bannedExternalImports: ["@tensorflow/*", "apache-arrow", "undici"],
  },
  {
    sourceTag: "layer:analysis",
    onlyDependOnLibsWithTags: ["layer:lens"],
    bannedExternalImports: ["undici", "hono"],
  },
  {
    sourceTag: "layer:tool",
    onlyDependOnLibsWithTags: ["layer:client", "layer:lens", "layer:analysis", "layer:tool"],
  },
  {
    sourceTag: "layer:notebook",
    onlyDependOnLibsWithTags: ["layer:client", "layer:lens", "layer:analysis", "layer:tool"],
  },
];

export default [
  {
    ignores: [
      "**/dist",
      "**/out-tsc",
      "**/node_modules",
      ".nx",
      "runs",
      "**/fixtures",
      "**/kernels/*.{ts,mts}",
      "**/*.config.mts",
      "vitest.base.mts",
    ],
  },
  { plugins: { "@nx": nx } },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ["**/*.ts", "**/*.mts"] })),
  {
    files: ["**/*.ts", "**/*.mts"],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@nx/enforce-module-boundaries": [
        "error",
        { enforceBuildableLibDependency: false, allow: ["#platform"], depConstraints: layers },
      ],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["**/package.json"],
    languageOptions: { parser: jsonParser },
    rules: {
      "@nx/dependency-checks": [
        "error",
        {
          ignoredFiles: ["{projectRoot}/test/**", "{projectRoot}/**/*.config.{mjs,mts}"],
          checkObsoleteDependencies: true,
          // Loaded by name at run time: some are optional, and fonts are no modules.
          ignoredDependencies: [
            "@tensorflow/tfjs-node-gpu",
            "@mongodb-js/zstd",
            "webgpu",
            "dejavu-fonts-ttf",
          ],
        },
      ],
    },
  },
];
