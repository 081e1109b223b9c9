import base from "../eslint.config.mjs";

/** The package.json rule of all projects, which does not see what only notebooks import. */
const [checks] = base.filter(({ rules }) => rules?.["@nx/dependency-checks"]);
const [level, options] = checks.rules["@nx/dependency-checks"];
const inNotebooks = ["analysis", "client", "engine", "lens", "local-server", "tiny-model"];

export default [
  { ignores: ["scripts*"] },
  ...base,
  {
    ...checks,
    rules: {
      "@nx/dependency-checks": [
        level,
        { ...options, ignoredDependencies: inNotebooks.map((name) => `@residua/${name}`) },
      ],
    },
  },
];
