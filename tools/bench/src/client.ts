import { bundlePrograms } from "./bundle.ts";
import { startChild } from "./child.ts";
import { cap } from "./client/driver.ts";
import type { Task, TaskResult } from "./client/task.ts";
import type { Contest } from "./row.ts";

type Side = "residua" | "openai";
const peerName = "openai 6.49.0";

interface Setting {
  readonly server: string;
  /** Does a task in a new process of one side. */
  run: (side: Side, task: Task) => Promise<TaskResult>;
}

/** `npm run bench -- client`. */
export async function* clientContests(wanted: (id: string) => boolean): AsyncGenerator<Contest> {
  const ids = Object.keys(rows).filter((id) => wanted(id));
  if (ids.length === 0) return;
  const programs = await bundlePrograms(["client/client-process", "client/fixed-server"]);
  const server = await startChild<{ origin: string }, never, never>(programs["fixed-server"]!);
  const run = async (side: Side, task: Task) => {
    const child = await startChild<unknown, Task, TaskResult>(programs["client-process"]!, [side]);
    try {
      return await child.ask(task);
    } finally {
      await child.close();
    }
  };
  try {
    for (const id of ids) yield rows[id]!(id, { server: server.ready.origin, run });
  } finally {
    await server.close();
  }
}

const rows: Readonly<Record<string, (id: string, setting: Setting) => Contest>> = {
  "client/request": (id, setting) => {
    const count = 3000;
    const task = { do: "requests", count, atOnce: 16, baseURL: `${setting.server}/small/v1` } as const;
    return contest(id, setting, {
      task,
      work: `CPU time of ${count} small requests, 16 at a time`,
      goal: 2,
      measure: ({ cpu }) => cpu,
    });
  },
  "client/first-stream": (id, setting) =>
    contest(id, setting, {
      task: { do: "stream", count: 1, baseURL: `${setting.server}/long/v1` },
      work: "CPU time of the first stream of a process, 10 000 chunks",
      goal: 2,
      measure: ({ cpu }) => cpu,
    }),
  "client/stream": (id, setting) =>
    contest(id, setting, {
      task: { do: "stream", count: 5, baseURL: `${setting.server}/long/v1` },
      work: "CPU time of 5 streams of 10 000 chunks, one after the other",
      goal: 2,
      measure: ({ cpu }) => cpu,
    }),
  "client/streams-rss": (id, setting) =>
    contest(id, setting, {
      task: streams(setting),
      work: "most memory of a process that reads 1 000 streams at once",
      goal: 1 / 0.7,
      unit: "MiB",
      measure: ({ peakRss }) => peakRss / 1024 ** 2,
    }),
  "client/streams-held": (id, setting) =>
    contest(id, setting, {
      task: streams(setting),
      work: "heap and buffers in use for 1 000 open streams",
      goal: 1 / 0.7,
      unit: "MiB",
      measure: ({ held }) => held / 1024 ** 2,
    }),
  "client/sample-many": (id, setting) => {
    const count = 2000;
    return contest(id, setting, {
      task: { do: "sampleMany", count, baseURL: `${setting.server}/capped/v1` },
      work: `how busy ${count} requests of 40 to 120 ms keep a server that runs ${cap} at a time`,
      goal: null,
      least: 95,
      unit: "%",
      measure: async () => {
        const load = (await (await fetch(`${setting.server}/capped/load`)).json()) as Load;
        if (load.served !== count || load.refused > 0)
          throw new Error(`${load.served} of ${count} requests were served, ${load.refused} refused`);
        return 100 * load.share;
      },
    });
  },
};

interface Load {
  readonly share: number;
  readonly served: number;
  readonly refused: number;
}

const streams = ({ server }: Setting): Task => ({
  do: "streams",
  count: 1000,
  baseURL: `${server}/many/v1`,
  release: `${server}/many/release`,
});

interface Options extends Pick<Contest, "work" | "goal" | "least" | "unit"> {
  readonly task: Task;
  readonly measure: (result: TaskResult) => number | Promise<number>;
}

function contest(id: string, setting: Setting, options: Options): Contest {
  const { task, work, goal, least, unit = "ms", measure } = options;
  const run = (side: Side) => setting.run(side, task);
  const peaks = { residua: 0, openai: 0 };
  const take = async (side: Side) => {
    const result = await run(side);
    peaks[side] = Math.max(peaks[side], result.peakRss);
    return measure(result);
  };
  return {
    id,
    work,
    peerName,
    goal,
    ...(least !== undefined && { least }),
    unit,
    async checkEqual() {
      const ours = await run("residua");
      await measure(ours);
      const peer = await run("openai");
      await measure(peer);
      if (ours.text !== peer.text || ours.text === "")
        throw new Error(
          `${JSON.stringify(ours.text.slice(0, 80))}, and ${JSON.stringify(peer.text.slice(0, 80))} by openai`,
        );
    },
    ours: () => take("residua"),
    peer: () => take("openai"),
    memory: () => Promise.resolve({ ours: peaks.residua, peer: peaks.openai }),
    close: () => Promise.resolve(),
  };
}
