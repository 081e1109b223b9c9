import { escapeHtml, plainText } from "./html-text.ts";

/** HTML that is known to be safe: made by the `html` template or from this package's own drawings. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Characters of one value that are shown; the embedded JSON keeps the rest. */
const longest = 1200;

export type Content = Markup | string | number | false | null | undefined | readonly Content[];

function render(content: Content): string {
  if (content === null || content === undefined || content === false) return "";
  if (content instanceof Markup) return content.text;
  if (typeof content === "object") return content.map(render).join("");
  return escapeHtml(plainText(String(content), longest));
}

/** A template whose values are escaped unless they are `Markup`: safe by construction. Arrays are joined, false and null are nothing. */
export function html(strings: TemplateStringsArray, ...values: Content[]): Markup {
  return new Markup(strings.map((part, index) => part + render(values[index])).join(""));
}

/** Text that keeps its own line breaks and length (commands, error messages), still escaped. */
export function preformatted(text: string, max = 4000): Markup {
  return new Markup(
    text
      .split(/\r?\n/)
      .map((line) => escapeHtml(plainText(line.replace(/\t/g, "    "), max)))
      .join("\n"),
  );
}
