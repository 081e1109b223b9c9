/** Replaces secrets in text that may end up in an error. */
export type Redactor = (text: string) => string;

/** A cut text may end in the beginning of a secret; so many characters of one are not shown. */
const shortestPiece = 6;

/**
 * A redactor of these secrets as they are and as JSON, JSON in JSON, an address, HTML or base64 would write them. A
 * beginning of one at the text's end goes too, for texts that were cut there. The secrets stay in the closure.
 */
export function redactorOf(secrets: readonly string[]): Redactor {
  const hidden = new Set(secrets.filter((secret) => secret !== "").flatMap(waysToWrite));
  const longestFirst = [...hidden].sort((a, b) => b.length - a.length);
  if (longestFirst.length === 0) return (text) => text;
  return (text) => {
    let rest = text;
    for (const form of longestFirst) if (rest.includes(form)) rest = rest.replaceAll(form, "***");
    for (const form of longestFirst) rest = withoutBeginning(rest, form);
    return rest;
  };
}

function withoutBeginning(text: string, form: string): string {
  for (let length = Math.min(form.length - 1, text.length); length >= shortestPiece; length--) {
    if (text.endsWith(form.slice(0, length))) return `${text.slice(0, -length)}***`;
  }
  return text;
}

function waysToWrite(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret);
  return [
    secret,
    json,
    json.replaceAll("/", "\\/"),
    JSON.stringify(json).slice(1, -1),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    // Python's and PHP's encoders differ in these characters.
    percent.replaceAll(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    percent.replaceAll("%20", "+"),
    percent.replaceAll("%2F", "/"),
    html(secret, "&#39;", "&#34;"),
    html(secret, "&#x27;", "&quot;"),
    html(secret, "'", "&quot;"),
    html(secret, "'", '"'),
    ...base64Forms(secret),
  ];
}

function html(secret: string, apostrophe: string, quote: string): string {
  return secret
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', quote)
    .replaceAll("'", apostrophe);
}

/** The characters of base64 that the secret alone decides, wherever in a longer text it stands. */
function base64Forms(secret: string): string[] {
  if (!/^[\x20-\x7e]*$/.test(secret)) return [];
  const forms = [0, 1, 2].map((before) => {
    const text = btoa(" ".repeat(before) + secret).replaceAll("=", "");
    const end = Math.floor(((before + secret.length) * 8) / 6);
    return text.slice(Math.ceil((before * 8) / 6), end);
  });
  const long = forms.filter((form) => form.length >= shortestPiece);
  return [...long, ...long.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}
