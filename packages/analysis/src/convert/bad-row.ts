/** What is wrong with one row of a column. */
export class BadRow extends Error {
  readonly row: number;
  constructor(row: number, problem: string) {
    super(problem);
    this.row = row;
  }
}
