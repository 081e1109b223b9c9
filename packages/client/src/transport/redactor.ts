/** Replaces secrets in text that may end up in an error. */
export type Redactor = (text: string) => string;

/** A cut text may end in the beginning of a secret; so many characters of one are not shown. */
const shortestPiece = 6;

/**
 * A redactor of these secrets, however JSON (also within JSON), an address, a form, HTML or base64 writes them. The
 * beginning of one at the text's end goes too, for texts that were cut there. The secrets stay in the closure.
 */
export function redactorOf(secrets: readonly string[]): Redactor {
  const longestFirst = secrets.filter((secret) => secret !== "").sort((a, b) => b.length - a.length);
  const patterns = longestFirst.flatMap((secret) => [
    ...patternsOf(charactersOf(secret)),
    ...base64Forms(secret).flatMap((form) => patternsOf([...form].map(literal))),
  ]);
  return (text) => patterns.reduce((rest, pattern) => rest.replace(pattern, "***"), text);
}

/** The whole anywhere, and its beginning at the end of a text. */
function patternsOf(characters: readonly string[]): RegExp[] {
  const whole = new RegExp(characters.join(""), "g");
  if (characters.length <= shortestPiece) return [whole];
  const first = characters.slice(0, shortestPiece).join("");
  const more = characters.slice(shortestPiece).reduceRight((rest, next) => `(?:${next}${rest})?`, "");
  return [whole, new RegExp(`${first}${more}$`)];
}

/** A pattern for each character of a secret that takes all its writings; a run of backslashes counts as one. */
function charactersOf(secret: string): string[] {
  return (secret.match(/\\+|[^\\]/gsu) ?? []).map((character) => {
    if (character.startsWith("\\")) {
      const count = character.length;
      return `(?:\\\\{${count},${8 * count}}|(?:%5[Cc]){${count}})`;
    }
    const code = character.codePointAt(0) ?? 0;
    const hex = [...code.toString(16).padStart(2, "0")]
      .map((digit) => `[${digit}${digit.toUpperCase()}]`)
      .join("");
    const forms = [
      // JSON escapes quotes and may escape slashes, and does so again for JSON within JSON.
      `${/["'/]/.test(character) ? "\\\\{0,7}" : ""}${literal(character)}`,
      code < 128 ? `%${hex}` : encodeURIComponent(character),
      `\\\\{1,7}u0{0,2}${hex}`,
      `&#(?:${code}|[xX]0*${hex});`,
      ...(named[character] ?? []),
    ];
    return `(?:${forms.join("|")})`;
  });
}

const named: Readonly<Record<string, readonly string[]>> = {
  '"': ["&quot;"],
  "'": ["&apos;"],
  "&": ["&amp;"],
  "<": ["&lt;"],
  ">": ["&gt;"],
  " ": ["\\+"],
};

function literal(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&");
}

/** The characters of base64 that the secret alone decides, wherever in a longer text it stands. */
function base64Forms(secret: string): string[] {
  const bytes = String.fromCharCode(...new TextEncoder().encode(secret));
  const forms = [0, 1, 2].map((before) => {
    const text = btoa(" ".repeat(before) + bytes).replaceAll("=", "");
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const long = forms.filter((form) => form.length >= shortestPiece);
  return [...new Set([...long, ...long.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))])];
}
