import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { clearTimeout, setTimeout } from "node:timers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { backlog } from "./connection-limits.ts";

/** Milliseconds that a new connection has to send something once the server closes. */
const silence = 200;

interface Connections {
  /** Takes no new connection, and resolves when all that was sent is answered, or cut after so many milliseconds. */
  drain(timeout: number): Promise<void>;
}

/** Watches a server's connections, so that it can close without losing a request that was sent. */
export function watchConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  const answers = new Set<ServerResponse>();
  let taken = 0;
  server.on("connection", (socket: Socket) => {
    taken++;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("request", (_, response) => {
    answers.add(response);
    // A connection is not kept once the server closes: it would hold the server open.
    response.shouldKeepAlive &&= server.listening;
    response.once("close", () => {
      answers.delete(response);
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
  });

  /** The system hands over one connection a turn, and closing would reset those that it still has. */
  async function takeWaiting(): Promise<void> {
    let quiet = 0;
    for (let turns = 0; quiet < 2 && turns < backlog; turns++) {
      const before = taken;
      await nextTurn();
      quiet = taken === before ? quiet + 1 : 0;
    }
  }

  return {
    async drain(timeout) {
      await takeWaiting();
      const cut = setTimeout(() => server.closeAllConnections(), timeout);
      // Where nothing is ever sent, Node waits for the first request.
      const giveUp = setTimeout(() => {
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      }, silence);
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      });
      clearTimeout(cut);
      clearTimeout(giveUp);
      // A cut connection ends its request a little later.
      await Promise.all(Array.from(answers, (response) => once(response, "close")));
    },
  };
}
