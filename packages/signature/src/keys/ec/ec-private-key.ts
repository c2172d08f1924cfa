import {
  type DerElement,
  readDer,
  readDerBitString,
  readDerInteger,
  readDerObjectIdentifier,
  readDerSequence,
  derTag,
  writeDer,
  writeDerBitString,
  writeDerInteger,
  writeDerOctetString,
  writeDerSequence,
} from '../der.ts';

/** An ECPrivateKey (RFC 5915 section 3), whose numbers have not been examined. */
export interface EcPrivateKey {
  /** The curve's object identifier; undefined if it is absent, as within a PrivateKeyInfo; empty if the curve is not named. */
  readonly curve: string | undefined;
  readonly privateNumber: Uint8Array;
  readonly publicPoint: Uint8Array | undefined;
}

const curveTag = 0xa0;
const publicKeyTag = 0xa1;

/** Reads an ECPrivateKey; undefined for anything else. */
export function readEcPrivateKey(der: Uint8Array): EcPrivateKey | undefined {
  const [version, privateNumber, ...optional] = readDerSequence(readDer(der)) ?? [];
  if (readDerInteger(version)?.join() !== '1' || privateNumber?.tag !== derTag.octetString) return undefined;
  const tags = optional.map(({ tag }) => tag).join();
  if (!['', `${curveTag}`, `${publicKeyTag}`, `${curveTag},${publicKeyTag}`].includes(tags)) return undefined;
  const inside = (tag: number): DerElement | undefined => {
    const element = optional.find((one) => one.tag === tag);
    return element && readDer(element.content);
  };
  const parameters = inside(curveTag);
  const curve = parameters && (readDerObjectIdentifier(parameters) ?? '');
  const publicPoint = readDerBitString(inside(publicKeyTag));
  if (tags.includes(`${publicKeyTag}`) && publicPoint === undefined) return undefined;
  return { curve, privateNumber: privateNumber.content, publicPoint };
}

/** Writes an ECPrivateKey as it stands in a PrivateKeyInfo, which names the curve (RFC 5915 section 3). */
export function writeEcPrivateKey({ privateNumber, publicPoint }: EcPrivateKey): Uint8Array<ArrayBuffer> {
  return writeDerSequence(
    writeDerInteger(Uint8Array.of(1)),
    writeDerOctetString(privateNumber),
    ...(publicPoint ? [writeDer(publicKeyTag, writeDerBitString(publicPoint))] : []),
  );
}
