import process from "node:process";
import { poolTransport } from "../transport/pool-transport.ts";
import type { Platform } from "./platform.ts";

export const platform: Platform = {
  environment: (name) => process.env[name],
  defaultTransport: poolTransport,
};
