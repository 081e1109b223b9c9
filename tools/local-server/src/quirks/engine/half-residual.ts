import { defineQuirk, lensProfiles } from "../quirk.ts";
import { withFaults } from "./with-faults.ts";

export const halfResidual = defineQuirk({
  name: "half-residual",
  wrong:
    "captured rows are the output of the feed-forward part alone, with what steering added: the other half of the stream is forgotten",
  seen: "IBM vLLM-Hook (commits abb7636, bcb3ab5) and RhizoNymph (commit 415800a06), on blocks that return (delta, residual)",
  caught: {
    by: null,
    note: "the final norm and the head, applied to the last layer, must give the greedy token; norms that do not grow with the layers show it too",
  },
  profiles: lensProfiles,
  act: () => ({ generate: (requests, next) => next(requests.map(withFaults({ halfResidual: true }))) }),
});
