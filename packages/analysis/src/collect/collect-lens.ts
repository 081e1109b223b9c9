import type { ChatMessage, Lens, LensOptions } from "@residua/lens";
import type { ChatOptions } from "./collect-options.ts";
import type { RoleSpan } from "./collect-item.ts";

/** A conversation as token ids, as `lens.encodeChat` gives it. */
export interface EncodedMessages {
  readonly tokenIds: readonly number[];
  readonly spans: readonly RoleSpan[];
  readonly text: string | null;
  readonly template: { readonly source: "server" | "folder"; readonly sha256: string | null };
}

/** What collecting takes of a lens. */
export type CollectLens = Pick<Lens, "describe" | "capture"> &
  Partial<Pick<Lens, "fingerprint" | "planCapture">> & {
    encodeChat?: (
      request: { model: string; messages: readonly ChatMessage[] } & ChatOptions,
      options?: LensOptions,
    ) => Promise<EncodedMessages>;
  };
