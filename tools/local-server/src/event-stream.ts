import { clearTimeout, setTimeout } from "node:timers";

interface EventStreamOptions {
  /** Milliseconds of silence after which a comment shows that the connection lives. */
  readonly keepAliveInterval: number;
  /**
   * Writes the events: `send` makes one `data:` event, and does nothing after the reader has left. The
   * stream ends when the promise settles, which must not reject.
   */
  readonly write: (send: (data: string) => void) => Promise<void>;
  /** The reader has left before the end. */
  readonly onCancel: () => void;
}

/** A text/event-stream body. */
export function eventStream({
  keepAliveInterval,
  write,
  onCancel,
}: EventStreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let open = true;
  let timer: ReturnType<typeof setTimeout>;
  return new ReadableStream({
    start(controller) {
      const put = (text: string) => {
        if (!open) return;
        controller.enqueue(encoder.encode(text));
        timer.refresh();
      };
      timer = setTimeout(() => put(": keep-alive\n\n"), keepAliveInterval);
      void write((data) => put(`data: ${data}\n\n`)).finally(() => {
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
  });
}
