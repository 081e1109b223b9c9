import { inflateSync } from "node:zlib";

export interface Pixels {
  width: number;
  height: number;
  /** Red, green, blue from 0 to 255. */
  at(x: number, y: number): number[];
  count(test: (rgb: number[]) => boolean): number;
}

/** Reads a PNG of 8 bits a channel with opacity, not interlaced: what resvg writes. */
export function pngPixels(png: Uint8Array): Pixels {
  const bytes = Buffer.from(png);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (bytes.toString("latin1", 1, 4) !== "PNG" || bytes[24] !== 8 || bytes[25] !== 6 || bytes[28] !== 0)
    throw new Error("not a PNG of 8 bits RGBA");
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT")
      parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  const rows = unfilter(inflateSync(Buffer.concat(parts)), width, height);
  const at = (x: number, y: number): number[] => [
    ...rows.subarray(4 * (y * width + x), 4 * (y * width + x) + 3),
  ];
  return {
    width,
    height,
    at,
    count: (test) => {
      let sum = 0;
      for (let y = 0; y < height; y += 1) for (let x = 0; x < width; x += 1) if (test(at(x, y))) sum += 1;
      return sum;
    },
  };
}

/** PNG specification, section 9. */
function unfilter(data: Buffer, width: number, height: number): Uint8Array {
  const stride = 4 * width;
  const out = new Uint8Array(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (stride + 1)];
    for (let x = 0; x < stride; x += 1) {
      const left = x < 4 ? 0 : (out[y * stride + x - 4] ?? 0);
      const up = y === 0 ? 0 : (out[(y - 1) * stride + x] ?? 0);
      const corner = x < 4 || y === 0 ? 0 : (out[(y - 1) * stride + x - 4] ?? 0);
      const guesses = [0, left, up, (left + up) >> 1, paeth(left, up, corner)];
      out[y * stride + x] = (data[y * (stride + 1) + 1 + x] ?? 0) + (guesses[filter ?? 0] ?? 0);
    }
  }
  return out;
}

function paeth(a: number, b: number, c: number): number {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}
