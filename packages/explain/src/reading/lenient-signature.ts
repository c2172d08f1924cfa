import { signatureLabel } from '@countersign/signature';
import { readSignature } from '@countersign/signature/profile';
import { type Finding, finding } from '../findings/finding.ts';
import { decodeLeniently, type FormCodes } from './lenient-base64.ts';

/** `Signature` as its writer meant it. */
export interface MeantSignature {
  readonly bytes: Uint8Array;
  readonly findings: readonly Finding[];
}

/**
 * Reads the signature's bytes from whatever wraps them. `keySizes` are the sizes in bytes of the keys that may have
 * signed. Undefined if there are no bytes to find.
 */
export function readMeantSignature(text: string, keySizes: ReadonlySet<number>): MeantSignature | undefined {
  const isKeySize = (length: number): boolean => keySizes.has(length) || usualSizes.has(length);
  const strict = readSignature(text);
  // Hundreds of characters are never all hex digits by chance.
  const isHex = /^sig=:[0-9a-fA-F]*:$/.test(text) || strict?.every(isHexDigit) === true;
  if (strict && isKeySize(strict.length) && !isHex) return { bytes: strict, findings: [] };
  const { label, content, hasColons } = unwrap(text);
  const decoded = decodeLeniently(content, isKeySize);
  if (!decoded || decoded.bytes.length === 0) return undefined;
  const findings: Finding[] = [];
  if (label !== signatureLabel && label !== undefined)
    findings.push(finding('signature_label', 'observed', { detail: `it is ${label}` }));
  if (label === undefined || !hasColons) {
    const detail = label === undefined ? 'it has no label' : 'it has no colons around the Base64';
    findings.push(finding('signature_form', 'observed', { detail }));
  }
  const { length } = decoded.bytes;
  for (const form of decoded.forms) {
    // Truncation also removes the padding.
    if (form !== 'no_padding' || isKeySize(length)) findings.push(finding(formCodes[form], 'observed'));
  }
  if (!isKeySize(length)) findings.push(sizeFinding(length, keySizes));
  return { bytes: decoded.bytes, findings };
}

function isHexDigit(byte: number): boolean {
  return /[0-9a-fA-F]/.test(String.fromCharCode(byte));
}

const formCodes: FormCodes = {
  url_encoded: 'signature_url_encoded',
  white_space: 'signature_line_breaks',
  hex: 'signature_hex',
  url_alphabet: 'signature_base64url',
  no_padding: 'signature_base64url',
  double: 'signature_double_base64',
  hex_in_base64: 'signature_hex',
};

/** Signature sizes for RSA keys of 2048 to 8192 bits, in steps of 1024. */
const usualSizes: ReadonlySet<number> = new Set([256, 384, 512, 640, 768, 896, 1024]);

/** Splits a dictionary member loosely: label, colons and quotes may be missing. */
function unwrap(text: string): {
  readonly label: string | undefined;
  readonly content: string;
  readonly hasColons: boolean;
} {
  const match = /^\s*(?:([A-Za-z*][\w.*-]{0,63})\s*=\s*(?=[:"']|[A-Za-z0-9+/_-]{20}))?(.*)$/s.exec(text);
  const member = (match?.[2] ?? text).trim();
  const quoted = /^(["'])(.*)\1$/s.exec(member)?.[2] ?? member;
  const inColons = /^:([^:]*):/.exec(quoted);
  return {
    label: match?.[1],
    content: inColons?.[1] ?? quoted.replace(/^:|:$/g, ''),
    hasColons: inColons !== null && member === quoted,
  };
}

function sizeFinding(length: number, keySizes: ReadonlySet<number>): Finding {
  const sizes = [...keySizes].toSorted((a, b) => a - b);
  const wanted = sizes.length > 0 ? sizes.join(' or ') : '256, 384 or 512';
  const detail = `it has ${length} bytes, and the key makes ${wanted}`;
  return length < Math.max(...keySizes, 256)
    ? finding('signature_truncated', 'observed', { detail })
    : finding('signature_form', 'observed', { detail });
}
