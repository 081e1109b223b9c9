import type { Command } from "commander";

/** A command that only holds others. */
export function commandGroup(program: Command, name: string): Command {
  return program.command(name).exitOverride();
}

/** The group's line in `--help`, made of the names of the commands that it has by now. */
export function describeGroup(group: Command, about: string): void {
  group.description(`${about}: ${group.commands.map((command) => command.name()).join(", ")}.`);
}
