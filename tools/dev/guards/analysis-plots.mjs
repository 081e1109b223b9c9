/** The guards of plots; see index.mjs. */
export const analysisPlotsGuards = [
  {
    id: "plots-dark-png",
    file: "packages/analysis/src/plots/figure-png.ts",
    remove: "palette[role][theme]",
    insert: "palette[role].light",
    test: "packages/analysis/test/plots/figure-png.test.ts",
    name: "has the colours of the dark theme on its surface",
  },
  {
    id: "plots-hover-escaped",
    file: "packages/analysis/src/plots/svg-shapes.ts",
    remove: "escapeHtml(plainText(style.title, 600))",
    insert: "style.title",
    test: "packages/analysis/test/plots/gallery.test.ts",
    name: "lets no text break out, reorder, name an address or leave its place",
  },
  {
    id: "plots-bold-width",
    file: "packages/analysis/src/plots/svg-text.ts",
    remove: "(weight === 600 ? 1.13 : 1)",
    insert: "1",
    test: "packages/analysis/test/plots/svg-text.test.ts",
    name: "is no narrower than what is drawn of",
  },
  {
    id: "plots-clear-of-chance",
    file: "packages/analysis/src/plots/transfer-matrix.ts",
    remove: "(low > chance || high < chance)",
    insert: "(low > chance || high > chance)",
    test: "packages/analysis/test/plots/plot-details.test.ts",
    name: "writes each score once, bold where its interval holds no chance",
  },
  {
    id: "plots-cut-bin",
    file: "packages/analysis/src/plots/score-histogram.ts",
    remove: "else if (high > threshold && count > 0) return undefined;",
    insert: "",
    test: "packages/analysis/test/plots/plot-details.test.ts",
    name: "claims no share where the threshold cuts a bin that holds rows",
  },
];
