import { Option } from "commander";
import { commandGroup, describeGroup } from "./command-group.ts";
import { backendInstall, backendList, backendRemove } from "./commands.ts";
import type { CommandMakers } from "./make-command.ts";

/** `residua backend …`. */
export function addBackendCommands({ program, command, action }: CommandMakers): void {
  const group = commandGroup(program, "backend");

  command(
    "install",
    "Build the native backend: some ten times WebAssembly's speed; with --cuda for NVIDIA GPUs too.",
    "residua backend install --dry-run",
    group,
  )
    .option("--cuda", "the variant with CUDA 12.2 and NVIDIA's libraries")
    .addOption(new Option("--variant <name>", "the same: cpu (default) or cuda").choices(["cpu", "cuda"]))
    .option("--from <folder>", "take the wheels and tarballs from a folder, not from the network")
    .option("--dry-run", "say what would be fetched and done, with sizes and commands, and do nothing")
    .action(action(backendInstall));

  command(
    "list",
    "List what is installed, first what is taken first.",
    "residua backend list --json",
    group,
  ).action(action(backendList));

  command("remove", "Remove what was installed.", "residua backend remove --variant cuda", group)
    .addOption(new Option("--variant <name>", "only this one").choices(["cpu", "cuda"]))
    .action(action(backendRemove));

  describeGroup(group, "The native tfjs backend in the cache folder (RESIDUA_CACHE, or residua in ~/.cache)");
}
