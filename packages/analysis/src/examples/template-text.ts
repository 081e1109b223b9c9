/** A template in parts: texts, and the names of what stands between them. */
export type TemplatePart = { text: string } | { name: string };

const piece = /\{\{|\}\}|\{([A-Za-z_]\w*)\}|[{}]|[^{}]+/g;

/**
 * `{name}` is a placeholder, `{{` and `}}` are braces, as in Python's str.format. Returns what is wrong with another
 * brace as a text.
 */
export function parseTemplate(template: string): TemplatePart[] | string {
  const parts: TemplatePart[] = [];
  for (const { 0: found, 1: name, index } of template.matchAll(piece)) {
    if (name !== undefined) parts.push({ name });
    else if (found === "{" || found === "}")
      return `a single ${found} at character ${index}; {name} is a placeholder, ${found}${found} is a brace`;
    else parts.push({ text: found === "{{" ? "{" : found === "}}" ? "}" : found });
  }
  return parts;
}
