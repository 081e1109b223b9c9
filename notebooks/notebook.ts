/** A notebook as it is on disk, as far as it is read here. */
export interface Notebook {
  readonly cells: readonly NotebookCell[];
}

export interface NotebookCell {
  readonly cell_type: string;
  readonly source: string | readonly string[];
  readonly outputs?: readonly NotebookOutput[];
}

export interface NotebookOutput {
  readonly output_type: string;
  readonly text?: string | readonly string[];
  readonly data?: Readonly<Record<string, string | readonly string[]>>;
}

export const cellSource = ({ source }: NotebookCell): string => joined(source);

/** A text as a notebook stores it: whole, or cut into lines. */
export const joined = (text: string | readonly string[]): string =>
  typeof text === "string" ? text : text.join("");
