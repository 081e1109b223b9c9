export { interval } from "./intervals/interval.ts";
