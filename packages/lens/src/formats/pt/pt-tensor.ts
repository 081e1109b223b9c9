import { gatherStrided, type StridedView } from "../arrays/gather-strided.ts";
import { storedBytes, storedSize, type StoredArray, type StoredDtype } from "../arrays/stored-array.ts";
import { FormatError } from "../format-error.ts";
import { PickleObject } from "../pickle/pickle-value.ts";

/** The bytes behind one or more tensors. */
export class PtStorage extends PickleObject {
  readonly kind = "storage";
  readonly dtype: StoredDtype;
  readonly numbers: number;
  readonly bytes: () => Uint8Array;

  constructor(dtype: StoredDtype, numbers: number, bytes: () => Uint8Array) {
    super();
    this.dtype = dtype;
    this.numbers = numbers;
    this.bytes = bytes;
  }
}

/** A tensor of a .pt file; its numbers are taken out of the storage when `stored` is called. */
export class PtTensor extends PickleObject {
  readonly kind = "tensor";
  readonly dtype: StoredDtype;
  readonly shape: readonly number[];
  readonly #storage: PtStorage;
  readonly #view: StridedView;

  /** Errors `format_invalid` where the view leaves its storage, `format_unsupported` where it repeats it. */
  constructor(
    storage: PtStorage,
    offset: number,
    shape: readonly number[],
    strides: readonly number[],
    file: string,
  ) {
    super();
    this.dtype = storage.dtype;
    this.shape = shape;
    this.#storage = storage;
    this.#view = { shape, strides, offset };
    const numbers = storedSize(storage.dtype, shape) / storedBytes[storage.dtype];
    const last = shape.reduce((at, length, i) => at + (length - 1) * strides[i]!, offset);
    if (numbers > 0 && !(last < storage.numbers)) {
      throw new FormatError(
        "format_invalid",
        `${file} has a tensor of shape [${shape.join(", ")}] that goes past the ${storage.numbers} numbers of its storage`,
        { file },
      );
    }
    if (numbers > storage.numbers) {
      throw new FormatError(
        "format_unsupported",
        `${file} has a tensor of ${numbers} numbers over a storage of ${storage.numbers} (an expanded view); save tensor.contiguous()`,
        { file },
      );
    }
  }

  /** The numbers in C order. */
  stored(): StoredArray {
    const { dtype, shape } = this;
    return { dtype, shape, bytes: gatherStrided(this.#storage.bytes(), storedBytes[dtype], this.#view) };
  }
}
