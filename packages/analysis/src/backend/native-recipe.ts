/** Which libtensorflow the addon is built against: the wheel for the CPU, or the one with CUDA 12.2. */
export const nativeVariants = ["cpu", "cuda"] as const;
export type NativeVariant = (typeof nativeVariants)[number];

/** One file that an installation is made of. */
export interface NativeFile {
  readonly tool: "npm" | "pip";
  /** As the tool takes it: a package and its version. */
  readonly requirement: string;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Where an npm package is unpacked, below the installation. */
  readonly to?: string;
  /** What is unpacked of a wheel: members whose names begin so. */
  readonly members?: readonly string[];
}

export const tfjsVersion = "4.22.0";
/** The last one with which tfjs's own tests pass: 2.18 and later round int32 to zeros. */
export const tensorflowVersion = "2.15.1";

/** The wheels are for any Python here: nothing of them is run. */
export const wheelPlatform = [
  "--python-version=3.11",
  ...["manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux1_x86_64"].map(
    (name) => `--platform=${name}`,
  ),
];

/** What an installation is made of, in the order in which it is fetched. */
export function nativeFiles(variant: NativeVariant): readonly NativeFile[] {
  return variant === "cpu" ? [...packages, cpuWheel] : [...packages, cudaWheel, ...cudaLibraries];
}

/** Bytes that an installation takes on disk, measured. */
export const installedBytes: Readonly<Record<NativeVariant, number>> = { cpu: 620e6, cuda: 4.05e9 };

const packages: readonly NativeFile[] = [
  {
    tool: "npm",
    requirement: `@tensorflow/tfjs-node-gpu@${tfjsVersion}`,
    file: `tensorflow-tfjs-node-gpu-${tfjsVersion}.tgz`,
    bytes: 223_379,
    sha256: "afd5599ee1662e732c00a0ad1f52a3d001bdc118a1f44bd592a0a0ebf2daa4c7",
    to: "node_modules/@tensorflow/tfjs-node-gpu",
  },
  {
    // The one package that it needs at run time and that is not the caller's own.
    tool: "npm",
    requirement: "google-protobuf@3.21.4",
    file: "google-protobuf-3.21.4.tgz",
    bytes: 68_046,
    sha256: "38299bb1802ce06900ea2e43650aded8393cd6a00012ed97ffc716eeab1e1091",
    to: "node_modules/google-protobuf",
  },
  {
    // Node-API's headers: the addon needs no others, and so runs on every Node.
    tool: "npm",
    requirement: "node-api-headers@1.5.0",
    file: "node-api-headers-1.5.0.tgz",
    bytes: 16_717,
    sha256: "59d0c186cb2db56fb5219219fdbcfb0573c33ff772494a23940564b9cfff881c",
    to: "build/node-api-headers",
  },
];

const tensorflowMembers = [
  "tensorflow/libtensorflow_cc.so.2",
  "tensorflow/libtensorflow_framework.so.2",
  "tensorflow/include/tensorflow/c/",
  "tensorflow/include/tensorflow/core/platform/ctstring",
  "tensorflow/include/tsl/c/",
  "tensorflow/include/tsl/platform/ctstring",
];

const cpuWheel: NativeFile = {
  tool: "pip",
  requirement: `tensorflow-cpu==${tensorflowVersion}`,
  file: `tensorflow_cpu-${tensorflowVersion}-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl`,
  bytes: 207_208_420,
  sha256: "54660c074d7241a503e81edfd9f5ef5af88f64051b72e2945f26318c790f2d26",
  members: tensorflowMembers,
};

const cudaWheel: NativeFile = {
  tool: "pip",
  requirement: `tensorflow==${tensorflowVersion}`,
  file: `tensorflow-${tensorflowVersion}-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl`,
  bytes: 475_258_663,
  sha256: "bb0edd69103c154245c5f209f0507355cc68ba7e4de350084bc31edc562478e4",
  members: tensorflowMembers,
};

/** NVIDIA's libraries as the wheel's extra `and-cuda` pins them. libtensorflow looks for them beside itself. */
const cudaLibraries: readonly NativeFile[] = (
  [
    ["cublas", "12.2.5.6", 417_825_305, "f448d8db463f9a2c7dd9a1e607c0961d3e95f825b86839c5882f7d073d406df0"],
    [
      "cuda-cupti",
      "12.2.142",
      13_900_552,
      "ce68d1009dd14215e38ed49643d31374c71d6fea381181cb0b9da7f19dfd1624",
    ],
    ["cuda-nvcc", "12.2.140", 21_319_729, "c6ff4ae7a636eb6cab7621191e19ac3779690686bbcf52c04d8b1ca2944e1e27"],
    [
      "cuda-nvrtc",
      "12.2.140",
      23_430_053,
      "b1cdcae6443cb7cdcfb5d1bf51896a148c9f82f9e65b27db9ab095eaed689aa7",
    ],
    ["cuda-runtime", "12.2.140", 845_802, "acb9cb7e44594a3512533497ea790d9f0b0e399abcc888584c157d1ffa080e41"],
    ["cudnn", "8.9.4.25", 720_096_787, "9f882d5b11753c566fd32427839089eb4f8ba7a58c28446ad359e32c40229723"],
    ["cufft", "11.0.8.103", 98_570_970, "72e961e578f9be9e316ccb4db8652c421dd0b57442624faa71061d452f449a67"],
    ["curand", "10.3.3.141", 56_463_566, "7b6bad6817b5df2a6f5ec221206fb895d9195fdd7d2443f3e86554108c141a0a"],
    [
      "cusolver",
      "11.5.2.141",
      124_890_758,
      "5a85c4653ce34339a5688137f494a0f903e0f0532418550998167f00844161da",
    ],
    [
      "cusparse",
      "12.1.2.141",
      195_268_625,
      "4e13d6a51d2303dcb2a023ba09546811161f0334fc64e13689397bbd3b1eb126",
    ],
    ["nccl", "2.16.5", 188_657_797, "84695a4248138fb2ca12f5fd3defe986e790e71ccdaad51b2ca34ca4e83ef421"],
    ["nvjitlink", "12.2.140", 20_177_273, "95635cafbf9f96c38bea5200ab145a2e6aefbb5405e0b04c1e4ba54df2d84ec9"],
  ] as const
).map(([name, version, bytes, sha256]) => ({
  tool: "pip",
  requirement: `nvidia-${name}-cu12==${version}`,
  file: `nvidia_${name.replaceAll("-", "_")}_cu12-${version}-py3-none-manylinux1_x86_64.whl`,
  bytes,
  sha256,
  members: ["nvidia/"],
}));
