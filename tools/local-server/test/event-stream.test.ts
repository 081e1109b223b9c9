import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { eventStream } from "../src/event-stream.ts";

const unused = () => expect.fail("nobody left");
const read = async (stream: ReadableStream<Uint8Array>) => new Response(stream).text();

test("events, and a comment after each silence", async () => {
  const stream = eventStream({
    keepAliveInterval: 60,
    onCancel: unused,
    write: async (send) => {
      send("a");
      await sleep(90);
      send("b");
      await sleep(20);
      send("c");
    },
  });
  expect(await read(stream)).toBe("data: a\n\n: keep-alive\n\ndata: b\n\ndata: c\n\n");
});

test("a reader that leaves is told, and writing goes on into nothing", async () => {
  let left = 0;
  let written = 0;
  const stream = eventStream({
    keepAliveInterval: 1000,
    onCancel: () => left++,
    write: async (send) => {
      for (; written < 20; written++) {
        send("a");
        await sleep(2);
      }
    },
  });
  const reader = stream.getReader();
  await reader.read();
  await reader.cancel();
  expect(left).toBe(1);
  while (written < 20) await sleep(2);
});

test("what lies unread is bounded, with an end that says so", async () => {
  const code = new Promise<string>((resolve) => {
    const stream = eventStream({
      keepAliveInterval: 1000,
      maxUnread: 100,
      onCancel: unused,
      write: async (send) => {
        try {
          for (let i = 0; i < 1000; i++) {
            send("0123456789");
            await sleep(0);
          }
        } catch (error) {
          send((error as { code: string }).code);
        }
        send("[DONE]");
        void read(stream).then(resolve);
      },
    });
  });
  // Six events of 18 bytes pass 100.
  expect(await code).toBe(`${"data: 0123456789\n\n".repeat(6)}data: stream_not_read\n\ndata: [DONE]\n\n`);
});

test("a reader who keeps up may read any amount", async () => {
  const stream = eventStream({
    keepAliveInterval: 1000,
    maxUnread: 100,
    onCancel: unused,
    write: async (send) => {
      for (let i = 0; i < 200; i++) {
        send("0123456789");
        await sleep(0);
      }
    },
  });
  expect((await read(stream)).length).toBe(200 * 18);
});
