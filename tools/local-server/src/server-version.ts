/** The version of this package. */
export const serverVersion = "0.1.0";
