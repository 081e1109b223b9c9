/** The code of what is thrown, or `taken`. */
export function codeOf(make: () => unknown): string {
  try {
    make();
    return "taken";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}
