import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BytesBody } from "../../src/transport/bytes-body.ts";

/** The bytes cut into pieces at these places. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.subarray(at[i], end));
}

const bodies = fc.uint8Array({ maxLength: 300 });
const cuts = fc.array(fc.nat(300), { maxLength: 12 });

describe("a body of bytes", () => {
  it("is what came, however it was cut and whatever was announced", () => {
    fc.assert(
      fc.property(
        bodies,
        cuts,
        fc.integer({ min: -1, max: 400 }),
        fc.nat(100),
        (bytes, at, announced, room) => {
          const body = new BytesBody(bytes.length + room, announced);
          // Transports use their buffers again.
          const shared = new Uint8Array(bytes.length);
          for (const piece of pieces(bytes, at)) {
            const lent = shared.subarray(0, piece.length);
            lent.set(piece);
            expect(body.write(lent)).toBe(true);
            lent.fill(255);
          }
          const whole = body.end();
          expect(whole).toEqual(bytes);
          // A body that is kept keeps little more than itself alive.
          expect(whole.buffer.byteLength).toBe(bytes.length);
        },
      ),
    );
  });

  it("is refused as soon as it is longer than it may be, and never held", () => {
    fc.assert(
      fc.property(
        bodies,
        cuts,
        fc.nat(300),
        fc.integer({ min: -1, max: 400 }),
        (bytes, at, limit, announced) => {
          const body = new BytesBody(limit, announced);
          let total = 0;
          for (const piece of pieces(bytes, at)) {
            total += piece.length;
            if (total > limit) {
              expect(() => body.write(piece)).toThrow(`the answer is over ${limit} bytes`);
              return;
            }
            body.write(piece);
          }
          expect(body.end()).toEqual(bytes);
        },
      ),
    );
  });
});
