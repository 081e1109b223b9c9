/** Nothing, `depth` times wrapped. */
export const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
/** A body whose one field has this JSON. */
export const withField = (name: string, json: string) => {
  const fields = { model: '"tiny"', prompt: '"a"', max_tokens: "1", [name]: json };
  return `{${Object.entries(fields)
    .map(([key, value]) => `${JSON.stringify(key)}:${value}`)
    .join(",")}}`;
};
