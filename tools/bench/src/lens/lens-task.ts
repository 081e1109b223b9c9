/** What a process of lens or of Python is asked to do. */
export type LensTask =
  | { do: "load"; file: string; numbers: number }
  | { do: "decode" }
  | { do: "encode" }
  | { do: "capture"; url: string; tokens: number };

/** Milliseconds, or bytes; what `load` gives are hashes of the rows and of the vector's base64, to be compared. */
export type LensTaskResult = { figure: number } | { rows: string; vector: string };
