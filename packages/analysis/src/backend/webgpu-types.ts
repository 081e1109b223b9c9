/** What is used of WebGPU's interfaces: TypeScript's DOM library has none of them. */
export interface GpuLimits {
  readonly maxStorageBufferBindingSize: number;
  readonly maxBufferSize: number;
  readonly maxComputeWorkgroupStorageSize: number;
  readonly maxComputeWorkgroupsPerDimension: number;
  readonly maxComputeWorkgroupSizeX: number;
  readonly maxComputeInvocationsPerWorkgroup: number;
}

export interface GpuAdapterInfo {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  readonly isFallbackAdapter?: boolean;
}

export interface GpuDevice extends EventTarget {
  readonly limits: GpuLimits;
  readonly lost: Promise<{ reason: string; message: string }>;
  destroy(): void;
}

export interface GpuAdapter {
  readonly info: GpuAdapterInfo;
  readonly limits: GpuLimits;
  readonly features: ReadonlySet<string>;
  requestDevice(descriptor: { requiredLimits?: Partial<GpuLimits> }): Promise<GpuDevice>;
}

export interface Gpu {
  requestAdapter(options?: { powerPreference?: "high-performance" }): Promise<GpuAdapter | null>;
}
