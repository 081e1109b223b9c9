import type { Endpoint } from "../src/requests/endpoints/endpoint.ts";

/** The tables of an endpoint as the README has them: fields, then rules; none for what it has none of. */
export function requestTables({ fields, rules }: Endpoint): string[] {
  const fieldRows = Object.entries(fields).map(([name, { allowed, source }]) => [
    `\`${name}\``,
    allowed,
    source,
  ]);
  const ruleRows = rules.map(({ name, formula, limit, setting, source }) => [
    `\`${name}\``,
    formula,
    limit === 0 ? "refused" : setting === undefined ? String(limit) : `${limit}, unknown above`,
    source,
  ]);
  return [
    ...(fieldRows.length > 0 ? [table(["field", "may be", "source"], fieldRows)] : []),
    ...(ruleRows.length > 0 ? [table(["rule", "counted", "at most", "source"], ruleRows)] : []),
  ];
}

function table(head: string[], rows: string[][]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");
}
