import type { SteeredPrompt } from "./steer-prompt.ts";

/** One thing to know of a steered text. `damage`: the text is likely spoiled rather than steered. */
export interface SteeringHint {
  readonly kind: "damage" | "note";
  readonly text: string;
}

/** Above this share of the stream's own length, what is added outweighs what was there. */
const mostShare = 1;

/** What can be told from the texts alone: loops, silence, no change, and a vector longer than the stream. */
export function steeringHints({
  plain,
  steered,
  scale,
  share,
}: Pick<SteeredPrompt, "plain" | "steered" | "share"> & { readonly scale: number }): SteeringHint[] {
  const damage = (text: string): SteeringHint => ({ kind: "damage", text });
  const note = (text: string): SteeringHint => ({ kind: "note", text });
  if (scale === 0) return [note("Scale 0 adds nothing: both texts are the plain one.")];
  const hints: SteeringHint[] = [];
  if (steered.loops && !plain.loops) {
    hints.push(
      damage(
        `The steered text repeats itself (${steered.longestRepeat} tokens stand twice), and the plain one does not: try a smaller scale.`,
      ),
    );
  }
  if (steered.loops && plain.loops)
    hints.push(
      note("Both texts repeat themselves, so it is not the steering: a temperature above 0 often ends that."),
    );
  if (steered.text === "" && plain.text !== "")
    hints.push(damage("The steered text is empty: the model ended at once."));
  if (share !== null && share > mostShare) {
    hints.push(
      damage(
        `What is added is ${share.toFixed(1)} times as long as the stream itself at the prompt's last token: little of the prompt may be left.`,
      ),
    );
  }
  if (steered.text === plain.text)
    hints.push(
      note(
        `Nothing changed in ${steered.tokens} generated ${steered.tokens === 1 ? "token" : "tokens"}: try a larger scale, another layer, or more tokens.`,
      ),
    );
  return hints;
}
