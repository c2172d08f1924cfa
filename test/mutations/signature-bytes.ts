import { p256, p384, type PrimeCurve } from '../../packages/signature/src/keys/ec/prime-curve.ts';
import type { Message } from './message.ts';
import type { Mutation } from './mutate.ts';
import type { Random } from './random.ts';

/** Changes of a signature's bytes that are worth a try for one algorithm, besides those of any text. */
export function signatureMutations(algorithm: string): readonly Mutation[] {
  const curve = curves[algorithm];
  const changes =
    curve === undefined ? [] : [...changesOf(curve), (signature: Buffer) => otherForm(signature, curve)];
  return [...anyChanges, ...changes].map(
    (change): Mutation =>
      (message, random) =>
        withSignature(message, (signature) => change(signature, random)),
  );
}

/** Returns the second form of an ECDSA message's signature, which verifies too; undefined for other algorithms. */
export function inOtherForm(message: Message, algorithm: string): Message | undefined {
  const curve = curves[algorithm];
  return curve && withSignature(message, (signature) => otherForm(signature, curve));
}

type Change = (signature: Buffer, random: Random) => Buffer;

const curves: Readonly<Record<string, PrimeCurve | undefined>> = {
  'ecdsa-p256-sha256': p256,
  'ecdsa-p384-sha384': p384,
};

const anyChanges: readonly Change[] = [
  (signature, random) => {
    const changed = Buffer.from(signature);
    if (changed.length > 0) changed[random.below(changed.length)]! ^= 1 << random.below(8);
    return changed;
  },
  (signature) => signature.subarray(0, -1),
  (signature) => Buffer.concat([signature, Buffer.of(0)]),
  (signature) => Buffer.concat([Buffer.of(0), signature]),
  (signature) => Buffer.alloc(signature.length),
  (signature) => Buffer.alloc(signature.length, 0xff),
  (signature) => Buffer.from(signature.toReversed()),
];

function changesOf({ order, bytes }: PrimeCurve): readonly Change[] {
  const half =
    (index: 0 | 1, change: (number: bigint) => bigint): Change =>
    (signature) => {
      const numbers = [signature.subarray(0, bytes), signature.subarray(bytes)];
      numbers[index] = numberBytes(change(numberOf(numbers[index]!)), bytes);
      return Buffer.concat(numbers);
    };
  return [
    (signature) => Buffer.concat([signature.subarray(bytes), signature.subarray(0, bytes)]),
    half(0, () => 0n),
    half(1, () => 0n),
    half(0, () => order),
    half(1, () => order),
    half(0, (r) => order - r),
    (signature) => Buffer.concat([signature.subarray(0, bytes), zero, signature.subarray(bytes)]),
    (signature) => Buffer.concat([zero, signature.subarray(0, bytes), zero, signature.subarray(bytes)]),
    inDer,
  ];
}

const zero = Buffer.of(0);

/** The form of RFC 3279 section 2.2.3, if the numbers are so long that their lengths take a byte each. */
function inDer(signature: Buffer): Buffer {
  const numbers = [0, 1].map((index) => {
    const half = signature.subarray((index * signature.length) / 2, ((index + 1) * signature.length) / 2);
    const number = (half[0] ?? 0) >= 0x80 ? Buffer.concat([zero, half]) : half;
    return Buffer.concat([Buffer.of(0x02, number.length), number]);
  });
  const content = Buffer.concat(numbers);
  return Buffer.concat([Buffer.of(0x30, content.length), content]);
}

/** (r, n−s): the other signature of the same text, which anyone can compute. */
export function otherForm(signature: Buffer, { order, bytes }: PrimeCurve): Buffer {
  const s = numberOf(signature.subarray(bytes));
  return Buffer.concat([signature.subarray(0, bytes), numberBytes(order - s, bytes)]);
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x0${Buffer.from(bytes).toString('hex')}`);
}

function numberBytes(number: bigint, bytes: number): Buffer {
  return Buffer.from(
    BigInt.asUintN(8 * bytes, number)
      .toString(16)
      .padStart(2 * bytes, '0'),
    'hex',
  );
}

function withSignature(message: Message, change: (signature: Buffer) => Buffer): Message {
  const headers = message.headers.map(([name, value]) => {
    const found = name.toLowerCase() === 'signature' ? /^([a-z0-9]+=):([^:]*):$/.exec(value) : undefined;
    if (!found) return [name, value] as const;
    const changed = change(Buffer.from(found[2]!, 'base64'));
    return [name, `${found[1]!}:${changed.toString('base64')}:`] as const;
  });
  return { ...message, headers };
}
