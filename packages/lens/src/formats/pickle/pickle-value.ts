/** A value out of a pickle: a list or tuple is an array (a tuple is frozen), a dict a Map. */
export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly PickleValue[]
  | ReadonlyMap<PickleKey, PickleValue>
  | PickleObject;

export type PickleKey = string | number | bigint | boolean | null;

/** What a name of the pickle stands for, or what came of calling it. Its maker knows what it is. */
export abstract class PickleObject {
  abstract readonly kind: string;
}

/** A name that a pickle may use: called with arguments, or only passed on. */
export class PickleGlobal extends PickleObject {
  readonly kind = "global";
  readonly name: string;
  readonly call: ((args: readonly PickleValue[]) => PickleValue) | null;

  constructor(name: string, call: PickleGlobal["call"] = null) {
    super();
    this.name = name;
    this.call = call;
  }
}
