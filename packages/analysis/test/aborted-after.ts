/** A signal that is aborted when it is asked by `throwIfAborted` for the `count`-th time: in the middle of what looks now and then. */
export function abortedAfter(count: number): AbortSignal {
  const stop = new AbortController();
  let asked = 0;
  return new Proxy(stop.signal, {
    get(target, name) {
      if (name === "throwIfAborted" && ++asked === count) stop.abort();
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
