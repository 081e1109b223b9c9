import { randomBytes } from "node:crypto";
import type { TensorFrame } from "@residua/engine/api";
import { badRequest } from "./vllm-error.ts";

interface HandleLimits {
  readonly entries: number;
  readonly bytes: number;
  /** Milliseconds that a handle lives. */
  readonly lifetime: number;
}

/** As vllm-lens has them, but for the bytes: there 8 GiB. */
const defaultLimits: HandleLimits = { entries: 512, bytes: 256 * 1024 ** 2, lifetime: 300_000 };

/** Captures that wait to be fetched: reading one does not use it up; the oldest give way to new ones. */
export class ActivationHandles {
  readonly #limits: HandleLimits;
  readonly #now: () => number;
  readonly #kept = new Map<string, { readonly tensor: TensorFrame; readonly until: number }>();
  #bytes = 0;

  constructor(limits: Partial<HandleLimits> = {}, now: () => number = () => performance.now()) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#now = now;
  }

  /** Returns the handle: 24 random bytes. Throws ApiError 400 for a capture larger than all that is kept. */
  keep(tensor: TensorFrame): string {
    const { byteLength } = tensor.frame;
    const { bytes, entries, lifetime } = this.#limits;
    if (byteLength > bytes) {
      throw badRequest(
        `activations_transport: the capture has ${byteLength} bytes, over the ${bytes} that are kept; ask for fewer layers or tokens`,
        "activations_transport",
      );
    }
    this.#dropExpired();
    for (const handle of this.#kept.keys()) {
      if (this.#kept.size < entries && this.#bytes + byteLength <= bytes) break;
      this.#drop(handle);
    }
    const handle = randomBytes(24).toString("base64url");
    this.#kept.set(handle, { tensor, until: this.#now() + lifetime });
    this.#bytes += byteLength;
    return handle;
  }

  /** Undefined for a handle that was never given, or is not kept any more. */
  find(handle: string): TensorFrame | undefined {
    this.#dropExpired();
    return this.#kept.get(handle)?.tensor;
  }

  #dropExpired(): void {
    const now = this.#now();
    // In the order of their ends.
    for (const [handle, { until }] of this.#kept) {
      if (until > now) return;
      this.#drop(handle);
    }
  }

  #drop(handle: string): void {
    this.#bytes -= this.#kept.get(handle)!.tensor.frame.byteLength;
    this.#kept.delete(handle);
  }
}
