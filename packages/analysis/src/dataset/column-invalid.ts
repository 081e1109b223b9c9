import { DatasetError } from "./dataset-error.ts";

/** The error of values that a column of the dataset to be written cannot hold. */
export function columnInvalid(path: string, found: string, expected: string): DatasetError {
  return new DatasetError("column_invalid", {
    path,
    found,
    expected,
    advice: "Change the values, or the type of the column.",
  });
}
