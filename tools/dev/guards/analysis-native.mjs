/** The guards of the native backend and of the engine on it; see index.mjs. */
export const analysisNativeGuards = [
  {
    id: "native-checksum",
    file: "packages/analysis/src/backend/native-fetch.ts",
    remove: "return found === sha256 ? undefined : `sha256 ${found} in place of ${sha256}`;",
    insert: "return found === sha256 ? undefined : undefined;",
    test: "packages/analysis/test/backend/native-fetch.test.ts",
    name: "a changed file is refused and does not stay",
  },
  {
    id: "native-source",
    file: "packages/analysis/src/backend/native-plan.ts",
    remove: "if (from !== undefined && !installed) checkNativeSource(from, wanted);",
    insert: "",
    test: "packages/analysis/test/backend/native-plan.test.ts",
    name: "a folder to take from that is none, or lacks files, or has others",
  },
  {
    id: "native-torn-download",
    file: "packages/analysis/src/backend/native-fetch.ts",
    remove: "if ((await whatIsWrong(path, file)) === undefined) return { path, fetched: false };",
    insert:
      'if ((await whatIsWrong(path, file)) !== "there is no such file") return { path, fetched: false };',
    test: "packages/analysis/test/backend/native-fetch.test.ts",
    name: "a torn download is fetched again: a part of it",
  },
  {
    id: "native-row-independence",
    file: "tools/engine/src/row-independence.ts",
    remove: "if (tried.every((count) => sameAt(count, alone))) return null;",
    insert: "if (tried.length > 0) return null;",
    test: "tools/engine/test/row-independence.test.ts",
    name: "rows that depend on how many there are go in blocks of 16",
  },
  {
    id: "native-torn",
    file: "packages/analysis/src/backend/native-place.ts",
    remove: "if (bytes === manifest.bytes) return [{ ...manifest, folder }];",
    insert: "if (bytes >= 0) return [{ ...manifest, folder }];",
    test: "packages/analysis/test/backend/native-place.test.ts",
    name: "a torn file or manifest is damage",
  },
];
