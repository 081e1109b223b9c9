const convert = "packages/analysis/src/convert";
const foreign = "packages/analysis/test/convert/foreign.test.ts";

const damage = "packages/analysis/test/convert/damage.test.ts";
const tensors = "packages/analysis/test/convert/tensors.test.ts";

/** The guards of conversion to and from other formats; see index.mjs. */
export const analysisConvertGuards = [
  {
    id: "parquet-module-replaced",
    file: "packages/analysis/src/files/parquet/parquet-module.ts",
    remove: 'delete require.cache[require.resolve("parquet-wasm/node")];',
    insert: "",
    test: "packages/analysis/test/files/parquet.test.ts",
    name: "a module that trapped is thrown away: a LayoutError, and the next file is read by a new one",
  },
  {
    id: "rows-narrowed-exactly",
    file: `${convert}/narrow-numbers.ts`,
    remove: "if (!round || Number.isFinite(value) !== Number.isFinite(other))",
    insert: "if (Number.isFinite(value) !== Number.isFinite(other))",
    test: foreign,
    name: "float64 is narrowed only when asked, and rounded only when asked, once",
  },
  {
    id: "rows-rounded-once",
    file: `${convert}/narrow-numbers.ts`,
    remove: 'if (dtype !== "float32") roundToOdd(numbers.values, wide);',
    insert: "",
    test: "packages/analysis/test/convert/narrow-numbers.test.ts",
    name: "float64 is rounded once: a number just beyond a tie goes to its nearer side",
  },
  {
    id: "J3-integers",
    file: `${convert}/cell-values.ts`,
    remove: 'if (!Number.isSafeInteger(number)) return "utf8";',
    insert: "",
    test: foreign,
    name: "J3: an Int64 column of numbers too large for a double becomes texts, of a label and an extra column too",
  },
  {
    id: "list-widths",
    file: `${convert}/list-numbers.ts`,
    remove: "if (length !== width) throw new BadRow(firstRow + i, `has ${length} numbers`);",
    insert: "",
    test: foreign,
    name: "nulls, nulls inside, ragged lists, wrong names and types are refused by column and row",
  },
  {
    id: "convert-keeps-files",
    file: `${convert}/write-once.ts`,
    remove: "if (!replace) await refuseTaken(path);",
    insert: "",
    test: "packages/analysis/test/convert/parquet.test.ts",
    name: "a file that is there is kept, unless told otherwise; a source that fails leaves nothing",
  },
  {
    id: "columns-compared-with-hashes",
    file: `${convert}/rows-check.ts`,
    remove: "if (found !== opened.expected)",
    insert: "if (found === undefined)",
    test: damage,
    name: "a number of arrow that is another one: the column and the file are named",
  },
  {
    id: "written-columns-there",
    file: `${convert}/rows-check.ts`,
    remove: "if (missing !== undefined) {",
    insert: "if (missing === null) {",
    test: damage,
    name: "columns beside tensors of another export, or none, are refused",
  },
  {
    id: "header-compared-with-hash",
    file: `${convert}/rows-header.ts`,
    remove: "if (sums !== undefined && sums.header !== sumOf(text)) {",
    insert: "if (sums === null) {",
    test: damage,
    name: "a header that was changed, or cannot be found any more, is refused",
  },
  {
    id: "header-lost",
    file: `${convert}/rows-header.ts`,
    remove: "mentions(lost)",
    insert: "false",
    test: damage,
    name: "a header that was changed, or cannot be found any more, is refused",
  },
  {
    id: "npy-folder-whole",
    file: `${convert}/read-tensors.ts`,
    remove: "if (names.includes(writingMark)) throw unfinished(path);",
    insert: "",
    test: tensors,
    name: "a folder of .npy files that was not written to its end is not there, or refused",
  },
  {
    id: "examples-together",
    file: "packages/analysis/src/dataset/example-order.ts",
    remove: "if (seen.has(example)) throw parted(path, example, row);",
    insert: "",
    test: foreign,
    name: "a file whose rows were shuffled is refused: an example's rows follow each other in a dataset",
  },
];
