import { defineQuirk, lensProfiles } from "../quirk.ts";
import { withFaults } from "./with-faults.ts";

export const halfResidual = defineQuirk({
  name: "half-residual",
  wrong:
    "captured rows are the output of the feed-forward part alone, with what steering added: the other half of the stream is forgotten",
  seen: "IBM vLLM-Hook (commits abb7636, bcb3ab5) and RhizoNymph (commit 415800a06), on blocks that return (delta, residual)",
  caught: {
    by: null,
    note: "a self-test sees it: such rows do not keep what was added a layer before",
  },
  profiles: lensProfiles,
  act: () => ({ generate: (requests, next) => next(requests.map(withFaults({ halfResidual: true }))) }),
});
