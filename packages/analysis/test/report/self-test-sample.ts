/** What `residua selftest --json` prints of a server whose steering does nothing. */
export function selfTest() {
  const result = (code: string, title: string, status: string) => ({
    code,
    title,
    status,
    detail: `${title}: seen`,
    meaning: "what it means",
    measured: {},
    requests: 1,
    seconds: 0.1,
  });
  return {
    fingerprint: {
      format: "residua-server-fingerprint",
      hash: "f".repeat(64),
      profile: "acs",
      version: null,
      systemFingerprint: null,
      plugin: null,
      model: "tiny",
      checkpoint: "residua/tiny",
      layers: 6,
      behaviours: { layers: "honoured", binary: true },
      verdicts: { S1: "pass", S4: "fail" },
      date: "2026-11-30T15:26:29.436Z",
    },
    results: [result("S1", "layers come as asked", "pass"), result("S4", "steering acts", "fail")],
    behaviours: {},
    changes: ["captures are sent one by one"],
    requests: 2,
    seconds: 0.2,
    needs: ["capture", "steering"],
    failed: ["S4"],
    unmet: [{ need: "steering", reason: "S4 failed" }],
  };
}
