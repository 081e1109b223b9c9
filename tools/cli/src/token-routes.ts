import type { Client } from "@residua/client";
import { withConnection, type Connection, type ServerOptions } from "./connect.ts";
import type { CommandContext } from "./make-command.ts";
import { UsageError } from "./usage-error.ts";

/** A connection whose server shows tokens. */
export interface TokenConnection extends Omit<Connection, "client"> {
  readonly client: Client<"vllm">;
}

/** Opens a connection to a server with routes for tokens, which vLLM has: the embedded server is one here. */
export async function withTokenRoutes(
  options: ServerOptions,
  context: CommandContext,
  use: (connection: TokenConnection) => Promise<void>,
): Promise<void> {
  const named = options.baseUrl ?? process.env["ACS_API_BASE"];
  const profile = options.profile ?? (named ? "acs" : "vllm");
  if (profile !== "vllm")
    throw new UsageError(
      "the hosted API shows no tokens of texts; give --profile vllm with a vLLM server, or no server at all for the embedded one",
    );
  await withConnection({ ...options, profile }, context, (connection) =>
    use(connection as unknown as TokenConnection),
  );
}
