/** What a client's process is asked to do. */
export type Task = { baseURL: string } & (
  | { do: "requests"; count: number; atOnce: number }
  | { do: "stream"; count: number }
  | { do: "streams"; count: number; /** Asked for once all streams are open. */ release: string }
  | { do: "sampleMany"; count: number }
);

export interface TaskResult {
  /** Milliseconds of CPU time, user and system, of the whole process. */
  cpu: number;
  /** Milliseconds. */
  wall: number;
  /** The most bytes that the process has held since it began. */
  peakRss: number;
  /** Bytes in use, heap and buffers, while all streams were open, beyond those before. */
  held: number;
  /** What came, to be compared. */
  text: string;
}
