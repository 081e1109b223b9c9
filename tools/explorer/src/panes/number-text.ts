/** A score with two decimals and a true minus sign. */
export function scoreText(value: number): string {
  return value
    .toFixed(2)
    .replace("-", "−")
    .replace(/^−(0\.00)$/, "$1");
}

/** Three significant digits at most. */
export function numberText(value: number): string {
  return String(Number(value.toPrecision(3))).replace("-", "−");
}
