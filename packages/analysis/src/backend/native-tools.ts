import { ResiduaError } from "@residua/lens";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** A program that an installation runs, and where it comes from. */
interface Tool {
  readonly command: string;
  /** Arguments before all others. */
  readonly args: readonly string[];
  /** Answers quickly where the tool is whole. */
  readonly probe: readonly string[];
  readonly advice: string;
}

export type ToolName = "python3" | "pip" | "npm" | "g++";

/** The tools by name; `PYTHON` and `CXX` name others. */
function toolOf(name: ToolName): Tool {
  const python = process.env["PYTHON"] || "python3";
  const probe = ["--version"];
  switch (name) {
    case "python3":
      return {
        command: python,
        args: [],
        probe,
        advice: "install Python 3 (Debian: apt-get install python3), or name it in PYTHON",
      };
    case "pip":
      return {
        command: python,
        args: ["-m", "pip"],
        probe,
        advice: "install pip (Debian: apt-get install python3-pip; else python3 -m ensurepip)",
      };
    case "npm":
      return {
        command: "npm",
        args: [],
        probe,
        advice: "install npm (it comes with Node; Debian: apt-get install npm)",
      };
    case "g++":
      return {
        ...compiler(process.env["CXX"] || "g++"),
        probe,
        advice: "install a C++17 compiler (Debian: apt-get install g++), or name one in CXX",
      };
  }
}

/** As make has it, `CXX` may be a program with arguments before it: `ccache g++`. */
function compiler(text: string): Pick<Tool, "command" | "args"> {
  if (existsSync(text)) return { command: text, args: [] };
  const [command = text, ...args] = text.trim().split(/\s+/);
  return { command, args };
}

/** Throws ResiduaError `backend_tool_missing` with every tool that is not there or does not run. */
export async function requireTools(names: readonly ToolName[]): Promise<void> {
  const missing: { tool: ToolName; found: string; advice: string }[] = [];
  for (const name of names) {
    const { command, args, probe, advice } = toolOf(name);
    try {
      await execute(command, [...args, ...probe]);
    } catch (error) {
      missing.push({ tool: name, found: lastLine(error), advice });
    }
  }
  if (missing.length === 0) return;
  const lines = missing.map(({ tool, found, advice }) => `${tool} (${found}): ${advice}`);
  throw new ResiduaError(
    "backend_tool_missing",
    `the native backend cannot be built without ${lines.join("; ")}`,
    {
      missing,
    },
  );
}

/** Runs a tool to its end and gives its stdout; throws what it said last. */
export async function runTool(
  name: ToolName,
  args: readonly string[],
  { cwd, signal }: { cwd?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<string> {
  const tool = toolOf(name);
  try {
    const options = { ...(cwd !== undefined && { cwd }), ...(signal && { signal }), maxBuffer: 64 << 20 };
    return (await execute(tool.command, [...tool.args, ...args], options)).stdout;
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`${name}: ${lastLine(error)}`, { cause: error });
  }
}

/** The command as one would type it. */
export function shownCommand(name: ToolName, args: readonly string[]): string {
  const tool = toolOf(name);
  return [tool.command, ...tool.args, ...args]
    .map((word) => (/[\s'"$*]/.test(word) ? `'${word}'` : word))
    .join(" ");
}

function lastLine(error: unknown): string {
  const { stderr, message, code } = error as { stderr?: string; message?: string; code?: unknown };
  if (code === "ENOENT") return "not found";
  const said = stderr?.trim();
  if (!said && typeof code === "number") return `it ended with exit code ${code} and said nothing`;
  const lines = (said || (message ?? String(error)))
    .trim()
    .split("\n")
    .map((line) => line.trim());
  // g++ and pip end with a summary; the line that says what is wrong has "error" in it.
  return lines.findLast((line) => /error/i.test(line)) ?? (lines.at(-1) as string);
}
