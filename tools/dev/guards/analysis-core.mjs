const analysis = "packages/analysis";
const dataset = `${analysis}/src/dataset`;
const shards = `${analysis}/src/shards`;
const hostile = `${analysis}/test/dataset/dataset-hostile.test.ts`;
const killed = `${analysis}/test/dataset/write-killed.test.ts`;
const pyarrow = `${analysis}/test/dataset/dataset-pyarrow.test.ts`;
const open = `${analysis}/test/dataset/dataset-open.test.ts`;
const handles = `${analysis}/test/dataset/handles.test.ts`;

/** The guards of dataset folders: what is written, locked, opened and read; see index.mjs. */
export const analysisCoreGuards = [
  {
    id: "J1-null-bitmap",
    file: `${shards}/shard-columns.ts`,
    remove: "valid && !bit(valid, i) ? null : at(i)",
    insert: "at(i)",
    test: pyarrow,
    name: "J1, J2",
  },
  {
    id: "J2-null-refused",
    file: `${shards}/encode-column.ts`,
    remove: "if (!nullable)",
    insert: "if (nullable === undefined)",
    test: hostile,
    name: "values that a column cannot hold",
  },
  {
    id: "J3-values-checked",
    file: `${shards}/encode-column.ts`,
    remove: "if (!is(value)) {",
    insert: "if (value === undefined) {",
    test: hostile,
    name: "values that a column cannot hold",
  },
  {
    id: "J6-shard-closed",
    file: `${dataset}/read-layer.ts`,
    remove: "if (--users === 0) await shard.close();",
    insert: "--users;",
    test: handles,
    name: "J6",
  },
  {
    id: "J7-far-batches",
    file: `${shards}/shard-layout.ts`,
    remove: "const body = { offset: offset + metaDataLength, length: bodyLength };",
    insert: "const body = { offset: (offset + metaDataLength) | 0, length: bodyLength };",
    test: open,
    name: "J7, J9",
  },
  {
    id: "J9-aligned-bytes",
    file: `${analysis}/src/files/file-read.ts`,
    remove: "const bytes = new Uint8Array(length);",
    insert: "const bytes = new Uint8Array(length + 8).subarray(offset % 8, (offset % 8) + length);",
    test: open,
    name: "J7, J9",
  },
  {
    id: "list-offsets",
    file: `${shards}/shard-columns.ts`,
    remove: "if (!inOrder ||",
    insert: "if (",
    test: hostile,
    name: "list offsets",
  },
  {
    id: "example-runs-counted",
    file: `${dataset}/validate-shards.ts`,
    remove: "if (runs[index] !== examples)",
    insert: "if (runs[index] === -1)",
    test: hostile,
    name: "examples that are not as many",
  },
  {
    id: "manifest-link",
    file: `${dataset}/read-manifest.ts`,
    remove: "if (dirname(real) !== (await realpath(folder))) throw linkedManifest(path);",
    insert: "",
    test: hostile,
    name: "dataset.json: a link out of the folder",
  },
  {
    id: "manifest-duplicate-keys",
    file: `${dataset}/read-manifest.ts`,
    remove: "if (hasDuplicateKeys(text, json))",
    insert: "if (hasDuplicateKeys(text, json) && json === null)",
    test: hostile,
    name: "a key that comes twice",
  },
  {
    id: "manifest-plausible-rows",
    file: `${dataset}/dataset-manifest.ts`,
    remove: "if (short >= 0)",
    insert: "if (short > shards.length)",
    test: hostile,
    name: "huge rows that agree",
  },
  {
    id: "regular-files-only",
    file: `${analysis}/src/files/file-read.ts`,
    remove: 'if (!found.isFile()) throw new LayoutError("not a regular file");',
    insert: "",
    test: hostile,
    name: "a pipe that takes",
  },
  {
    id: "known-layout-of-this-file",
    file: `${dataset}/dataset-shard.ts`,
    remove: "known?.version === version",
    insert: "known",
    test: hostile,
    name: "exchanged after opening",
  },
  {
    id: "foreign-shards-kept",
    file: `${dataset}/refuse-used-folder.ts`,
    remove: "(names.includes(writingName) ? undefined : shards[0])",
    insert: "undefined",
    test: killed,
    name: "left alone",
  },
  {
    id: "write-locked",
    file: `${dataset}/write-dataset.ts`,
    remove: "const lock = await lockFolder(to);",
    insert: "const lock = { release: () => Promise.resolve() };",
    test: killed,
    name: "a second writer is refused",
  },
  {
    id: "failed-write-taken-back",
    file: `${dataset}/write-dataset.ts`,
    remove: "await takeBack(to);",
    insert: "",
    test: killed,
    name: "leaves nothing",
  },
];
