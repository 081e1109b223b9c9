import { clearTimeout, setTimeout } from "node:timers";
import { ApiError } from "@residua/engine/api";

/** Bytes that may lie unread before a stream is given up. */
const defaultMaxUnread = 64 * 1024 ** 2;

interface EventStreamOptions {
  /** Milliseconds of silence after which a comment shows that the connection lives. */
  readonly keepAliveInterval: number;
  readonly maxUnread?: number;
  /**
   * Writes the events: `send` makes one `data:` event, and does nothing after the reader has left. It
   * throws ApiError `stream_not_read`, once, when too much lies unread: room is left to say so. The
   * stream ends when the promise settles, which must not reject.
   */
  readonly write: (send: (data: string) => void) => Promise<void>;
  /** The reader has left before the end. */
  readonly onCancel: () => void;
}

/** A text/event-stream body. */
export function eventStream({
  keepAliveInterval,
  maxUnread = defaultMaxUnread,
  write,
  onCancel,
}: EventStreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let open = true;
  let overfull = false;
  let timer: ReturnType<typeof setTimeout>;
  const source: UnderlyingDefaultSource<Uint8Array> = {
    start(controller) {
      const put = (text: string) => {
        if (!open) return;
        controller.enqueue(encoder.encode(text));
        timer.refresh();
      };
      const send = (data: string) => {
        if (!overfull && -controller.desiredSize! > maxUnread) {
          overfull = true;
          const problem = `more than ${maxUnread} bytes lie unread; read the stream faster`;
          throw new ApiError(400, "stream_not_read", problem);
        }
        put(`data: ${data}\n\n`);
      };
      timer = setTimeout(() => put(": keep-alive\n\n"), keepAliveInterval);
      void write(send).finally(() => {
        clearTimeout(timer);
        if (open) controller.close();
        open = false;
      });
    },
    cancel() {
      open = false;
      clearTimeout(timer);
      onCancel();
    },
  };
  return new ReadableStream(source, { highWaterMark: 0, size: (chunk) => chunk.byteLength });
}
