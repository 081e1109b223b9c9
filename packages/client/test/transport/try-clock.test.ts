import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TryClock } from "../../src/transport/try-clock.ts";

const limits = { connect: 100, headers: 1000, body: 50, total: 5000 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function clockWith(signal?: AbortSignal) {
  const clock = new TryClock(limits, signal);
  const end = vi.fn();
  clock.onEnd = end;
  return { clock, end };
}

describe("TryClock", () => {
  it("gives each part of a try its own time", () => {
    const { clock, end } = clockWith();
    vi.advanceTimersByTime(900);
    expect(clock.ended).toBeUndefined();
    clock.enter("connect");
    vi.advanceTimersByTime(99);
    clock.enter("headers");
    vi.advanceTimersByTime(999);
    clock.enter("body");
    for (let i = 0; i < 20; i++) {
      vi.advanceTimersByTime(49);
      clock.heard();
    }
    expect(end).not.toHaveBeenCalled();
    vi.advanceTimersByTime(50);
    expect(clock.ended).toBe("body");
    expect(end).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends the whole at its total, whatever is heard", () => {
    const { clock, end } = clockWith();
    clock.enter("body");
    for (let i = 0; i < 124; i++) {
      vi.advanceTimersByTime(40);
      clock.heard();
    }
    vi.advanceTimersByTime(40);
    expect(clock.ended).toBe("total");
    expect(end).toHaveBeenCalledOnce();
  });

  it("does not count silence while nobody reads", () => {
    const { clock } = clockWith();
    clock.enter("body");
    clock.rest();
    vi.advanceTimersByTime(3000);
    expect(clock.ended).toBeUndefined();
    clock.heard();
    vi.advanceTimersByTime(50);
    expect(clock.ended).toBe("body");
  });

  it("leaves nothing behind once stopped, and does not begin again", () => {
    const controller = new AbortController();
    const { clock, end } = clockWith(controller.signal);
    clock.enter("headers");
    clock.stop();
    clock.enter("connect");
    controller.abort();
    vi.advanceTimersByTime(10_000);
    expect([clock.ended, end.mock.calls.length, vi.getTimerCount()]).toEqual([undefined, 0, 0]);
  });

  it("ends with the signal, also with one that was aborted before", () => {
    const controller = new AbortController();
    const { clock, end } = clockWith(controller.signal);
    controller.abort();
    expect(clock.ended).toBe("aborted");
    expect(end).toHaveBeenCalledOnce();
    expect(new TryClock(limits, AbortSignal.abort()).ended).toBe("aborted");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("reads what lies in the socket before it calls a held-up process a timeout", () => {
    vi.useRealTimers();
    const clock = new TryClock({ ...limits, headers: 20 }, undefined);
    clock.enter("headers");
    const until = performance.now() + 400;
    while (performance.now() < until);
    return new Promise<void>((resolve) => {
      setImmediate(() => {
        // The timer was due long ago; the socket's turn comes before its end.
        expect(clock.ended).toBeUndefined();
        setTimeout(() => {
          expect(clock.ended).toBe("headers");
          resolve();
        }, 100);
      });
    });
  });
});
