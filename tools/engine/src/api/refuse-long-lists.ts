import { invalidRequest } from "./api-error.ts";

/** What a body may hold at most before its fields are looked at one by one: a fault in each of a million entries is no answer. */
const most = { fields: 256, entries: 4096, ids: 131_072, idsInAll: 2_097_152 };

/**
 * Refuses a body whose lists are longer than any request can use, or whose prompt is no list of one kind, at the first
 * fault and in one walk. Throws ApiError 400 `invalid_request`.
 */
export function refuseLongLists(json: unknown): void {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return;
  const body = json as Record<string, unknown>;
  const count = Object.keys(body).length;
  if (count > most.fields)
    throw invalidRequest(`body: ${count} fields, over the ${most.fields} that a body may have`);
  for (const [name, value] of Object.entries(body)) {
    if (name === "prompt") checkPrompt(value);
    else checkList(name, value, most.entries);
  }
  for (const field of ["apply_steering_vectors", "residua_interventions"]) checkEntries(field, body[field]);
}

function checkEntries(field: string, entries: unknown): void {
  if (!Array.isArray(entries)) return;
  entries.forEach((entry: unknown, index) => {
    if (typeof entry !== "object" || entry === null) return;
    for (const [name, value] of Object.entries(entry))
      checkList(`${field}[${index}].${name}`, value, most.ids);
  });
}

function checkPrompt(prompt: unknown): void {
  if (!Array.isArray(prompt)) return;
  const [first] = prompt as unknown[];
  if (typeof first === "number") return checkIds(prompt, "");
  checkList("prompt", prompt, most.entries);
  let ids = 0;
  prompt.forEach((one: unknown, index) => {
    if (typeof one !== typeof first || Array.isArray(one) !== Array.isArray(first)) {
      throw invalidRequest(
        `prompt: entry ${index} is of another kind than entry 0; give texts only, or lists of token ids only`,
      );
    }
    if (!Array.isArray(one)) return;
    checkIds(one, ` of list ${index}`);
    ids += one.length;
  });
  if (ids > most.idsInAll)
    throw invalidRequest(
      `prompt: ${ids} token ids in all, over the ${most.idsInAll} that a request may have`,
    );
}

function checkIds(ids: readonly unknown[], where: string): void {
  checkList("prompt", ids, most.ids);
  const at = ids.findIndex((id) => !Number.isSafeInteger(id) || (id as number) < 0);
  if (at >= 0) throw invalidRequest(`prompt: entry ${at}${where} is no token id; give whole numbers from 0`);
}

function checkList(name: string, value: unknown, limit: number): void {
  if (!Array.isArray(value) || value.length <= limit) return;
  throw invalidRequest(`${name}: ${value.length} entries, over the ${limit} that it may have`);
}
