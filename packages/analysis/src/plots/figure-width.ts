import { z } from "zod";

export interface FigureOptions {
  /** Width of the drawing in pixels, 640 by default: from 280 (a telephone) to 4000. The height follows from what is drawn. */
  width?: number;
}

const widthSchema = z.number().min(280).max(4000).default(640);

export const figureOptions = z.strictObject({ width: widthSchema });
