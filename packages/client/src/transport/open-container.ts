/** A container whose end has not come. These are used again, since most containers are small and many. */
export class OpenContainer {
  isObject = false;
  /** What it holds so far, once parts of it have been parsed. */
  value: Record<string, unknown> | unknown[] | undefined;
  /** The key whose value is on the way. */
  key = "";
  /** Offset of its opening bracket. */
  opened = 0;
  /** Offset after the last comma, or after its bracket: here the element on the way begins. */
  boundary = 0;
  /** Offset of the first element that is not parsed yet. */
  start = 0;
  colon = false;
  /** The element on the way is in `value` already. */
  filled = false;
  empty = true;

  /** Puts a member into the object. */
  set(key: string, element: unknown): void {
    const object = this.value as Record<string, unknown>;
    if (key !== "__proto__") object[key] = element;
    else
      Object.defineProperty(object, key, {
        value: element,
        enumerable: true,
        configurable: true,
        writable: true,
      });
  }

  reset(at: number, isObject: boolean): this {
    this.isObject = isObject;
    this.value = undefined;
    this.key = "";
    this.opened = at;
    this.boundary = this.start = at + 1;
    this.colon = this.filled = false;
    this.empty = true;
    return this;
  }
}
