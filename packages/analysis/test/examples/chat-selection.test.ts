import { type ChatSpan, InvalidRequestError } from "@residua/lens";
import { describe, expect, test } from "vitest";
import {
  assistantTokens,
  chatPositions,
  type ChatSelection,
  chatSelectionSchema,
  endOfTurn,
  lastUserToken,
  resolveChatSelection,
  roleTokens,
  tokenRoles,
} from "../../src/examples/chat-selection.ts";

/** Turns of three header tokens, the content, and two tokens after it, behind a BOS; and the header of an answer. */
function spansOf(turns: [role: string, content: number][], open = true): ChatSpan[] {
  let at = 1;
  const spans = turns.flatMap(([role, content], message) =>
    (["header", "content", "end"] as const).map((part): ChatSpan => {
      const start = at;
      at += { header: 3, content, end: 2 }[part];
      return { message, role, part, start, end: at };
    }),
  );
  const header = {
    message: turns.length,
    role: "assistant",
    part: "header",
    start: at,
    end: at + 3,
  } as const;
  return open ? [...spans, header] : spans;
}

const spans = spansOf([
  ["system", 4], // 1–9
  ["user", 2], // 10–16
  ["assistant", 3], // 17–24
  ["user", 5], // 25–34
]);

describe("takes", () => {
  test.each<[string, ChatSelection, number[]]>([
    ["the last user token", lastUserToken, [32]],
    ["the assistant's tokens", assistantTokens, [20, 21, 22]],
    ["the end of the turn", endOfTurn, [33]],
    ["every user token", roleTokens("user"), [13, 14, 28, 29, 30, 31, 32]],
    ["each user's last token", roleTokens("user", { tokens: "last" }), [14, 32]],
    ["the first user's", roleTokens("user", { messages: "first" }), [13, 14]],
    ["whole turns", roleTokens("system", { part: "turn" }), [1, 2, 3, 4, 5, 6, 7, 8, 9]],
    [
      "headers, that of the answer too",
      roleTokens("assistant", { part: "header" }),
      [17, 18, 19, 35, 36, 37],
    ],
    ["ends of the assistant's turns", roleTokens("assistant", { part: "end", tokens: "first" }), [23]],
  ])("%s", (_, selection, positions) => {
    const read = chatSelectionSchema.parse(JSON.parse(JSON.stringify(selection)));
    expect(chatPositions(read, spans)).toEqual(positions);
  });
});

test("as lens selects it: one stretch, several, or pooled", () => {
  expect(resolveChatSelection(lastUserToken, spans)).toMatchObject({
    kind: "span",
    target: { tokens: { from: 32, to: 33 } },
  });
  const several = [
    { from: 13, to: 15 },
    { from: 28, to: 33 },
  ];
  expect(resolveChatSelection(roleTokens("user"), spans)).toMatchObject({ target: { tokens: several } });
  for (const pool of ["mean", "max"] as const)
    expect(resolveChatSelection(roleTokens("user", { pool }), spans)).toMatchObject({
      kind: pool,
      bos: "in",
      over: { target: { tokens: several } },
    });
});

test("what is not there is refused, and never the message before", () => {
  const empty = spansOf([
    ["user", 2],
    ["user", 0],
  ]);
  expect(() => chatPositions(lastUserToken, empty)).toThrow("its message is empty");
  expect(() => chatPositions(assistantTokens, empty)).toThrow('has no content of "assistant"');
  expect(() => chatPositions(roleTokens("tool"), spans)).toThrow("its roles: system, user, assistant");
});

test.each<[string, () => unknown, string]>([
  ["no role", () => roleTokens(undefined as never), "role: nothing; allowed: a text"],
  ["an empty role", () => roleTokens(""), 'role: ""; allowed: a text that is not empty'],
  [
    "an unknown word",
    () => roleTokens("user", { messages: "frist" as never }),
    'messages: "frist"; allowed: "all", "first", "last"',
  ],
  [
    "an unknown option",
    () => roleTokens("user", { token: "last" } as never),
    "options: the field token; allowed: only part, messages, tokens, pool",
  ],
  [
    "a selection by hand",
    () => chatPositions({ ...lastUserToken, tokens: "lats" as never }, spans),
    'selection.tokens: "lats"; allowed: "all", "first", "last"',
  ],
  [
    "spans that are none",
    () => chatPositions(lastUserToken, undefined as never),
    "spans: nothing; allowed: a list",
  ],
  ["spans without places", () => tokenRoles([{ role: "user" }] as never, 3), "spans[0].message: nothing"],
  ["no number of tokens", () => tokenRoles(spans, -1), "tokens: -1; allowed: a number of at least 0"],
])("refuses %s, by its field", (_, make, words) => {
  expect(make).toThrow(InvalidRequestError);
  expect(make).toThrow(words);
});

test("what is left out, or undefined, is as usual", () => {
  expect(roleTokens("user", { part: undefined } as never)).toEqual(roleTokens("user"));
});

test("tells whose each token is", () => {
  const roles = tokenRoles(spansOf([["user", 1]]), 10);
  expect(roles).toEqual([null, ...Array<string>(6).fill("user"), ...Array<string>(3).fill("assistant")]);
});
