/** The version of this package. */
export const engineVersion = "0.1.0";
