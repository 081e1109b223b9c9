import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Running } from "./support.ts";

/** A connection beneath HTTP, for what no client library would send. */
export function rawSocket(running: Running): Socket {
  const { port, hostname } = new URL(running.server.url);
  const socket = connect(Number(port), hostname);
  socket.setEncoding("latin1");
  // The server may close while something is still written.
  socket.on("error", () => undefined);
  return socket;
}

/** All that comes back until the server closes the connection; with `end` nothing more is sent. */
export async function answerTo(socket: Socket, sent: string, { end = false } = {}): Promise<string> {
  let answer = "";
  socket.on("data", (text: string) => (answer += text));
  socket.write(sent, "latin1");
  if (end) socket.end();
  await once(socket, "close");
  return answer;
}

/** The status codes of the answers in a text, in order. */
export function statuses(answer: string): number[] {
  return Array.from(answer.matchAll(/HTTP\/1\.1 (\d{3}) /g), ([, status]) => Number(status));
}
