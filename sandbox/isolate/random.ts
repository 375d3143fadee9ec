import { codedError } from './errors.ts';
import { missing } from './missing.ts';
import { floor, slice, uncurry } from './primordials.ts';

type Generator = () => number;

let random: Generator = () => 0;
let bytes: Generator = () => 0;

/** Seeds Math.random and `crypto` with eight 32-bit numbers. */
export function seedRandom(seed: readonly number[]): void {
  random = smallFastCounter(seed[0]!, seed[1]!, seed[2]!, seed[3]!);
  bytes = smallFastCounter(seed[4]!, seed[5]!, seed[6]!, seed[7]!);
}

export function installRandom(): void {
  Math.random = () => ((random() >>> 5) * 67_108_864 + (random() >>> 6)) / 9_007_199_254_740_992;
}

/** A repeatable `crypto`: suitable for ids, not for secrets. */
export const crypto = Object.freeze({
  subtle: missing('crypto.subtle', "For digests use svc.hash_encode.hash({ text, algorithm: 'sha256' })."),
  randomUUID(): string {
    let hex = '';
    for (let index = 0; index < 4; index++) hex += slice(numberToString(bytes() + 0x1_0000_0000, 16), 1);
    const variant = numberToString(8 + (bytes() & 3), 16);
    return `${slice(hex, 0, 8)}-${slice(hex, 8, 12)}-4${slice(hex, 13, 16)}-${variant}${slice(hex, 17, 20)}-${slice(hex, 20)}`;
  },
  getRandomValues<T extends ArrayBufferView>(view: T): T {
    const target = new Octets(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
    if (target.length > 65_536) throw codedError('CODE_ERROR', 'crypto.getRandomValues fills at most 65,536 bytes');
    for (let index = 0; index < target.length; index++) target[index] = floor(bytes() / 0x100_0000);
    return view;
  },
});

const Octets = Uint8Array;
const numberToString = uncurry(Number.prototype.toString);

/** The generator sfc32. */
function smallFastCounter(a: number, b: number, c: number, counter: number): Generator {
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) next();
  return next;
}
