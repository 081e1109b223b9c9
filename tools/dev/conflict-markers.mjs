// Fails where a tracked text file holds what a merge left: prettier takes markers in Markdown for quotes and table rows.
import { spawnSync } from "node:child_process";
import { root } from "./workspace.mjs";

// The spaced, the escaped and the table form are what prettier makes of markers.
const marker =
  "^[[:space:]]*(<{7}( |$)|>{7}( |$)|\\|{7}( |$)|(\\| |\\\\)?={7}[[:space:]]*(\\|.*)?$|> > > > > > > )";

const { status, stdout, stderr, error } = spawnSync("git", ["grep", "-nIE", marker], {
  cwd: root,
  encoding: "utf8",
});
if (error || (status !== 0 && status !== 1)) {
  // A copy of the files without their repository has no merges either.
  console.log(`not checked: git grep did not run (${(error?.message ?? stderr).trim().split("\n")[0]})`);
} else if (status === 0) {
  process.stdout.write(stdout);
  console.log("merge conflict markers: keep the lines of one side, or of both, and take the markers out");
  process.exit(1);
}
