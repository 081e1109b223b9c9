/**
 * `@residua/analysis/native-backend`: finding, loading and building the native tfjs backend, for those who bring their own
 * tfjs. Loads none itself, and what installs only when it is called.
 */
import type { installNative as install, removeNative as remove } from "./native-install.ts";

export { loadNative } from "./native-load.ts";
export type { LoadedNative, NativeBackend, NativeBinding, NativeOutcome, Tfjs } from "./native-load.ts";
export { cacheFolder, installedNatives, standingNatives } from "./native-place.ts";
export type { DamagedNative, InstalledNative } from "./native-place.ts";
export { planNative } from "./native-plan.ts";
export type { NativePlan } from "./native-plan.ts";
export type { NativeVariant } from "./native-recipe.ts";
export type { InstallNativeOptions } from "./native-install.ts";

export const installNative: typeof install = async (options) =>
  (await import("./native-install.ts")).installNative(options);

export const removeNative: typeof remove = async (options) =>
  (await import("./native-install.ts")).removeNative(options);
