import * as node from '../../src/on-node/messages.ts';
import * as web from '../../src/on-web/messages.ts';
import type {
  HttpMessage,
  JsonWebKeyObject,
  MessageKeyOptions,
  MessageRefusal,
  MessageSigningKey,
  MessageVerification,
  MessageVerifyingKey,
  ProfiledSignature,
  ProfiledSignatureLines,
  VerifiedMessage,
} from '../../src/on-web/messages.ts';

/** The general library on one runtime's cryptography. */
export interface MessagesPlatform {
  readonly name: string;
  readonly verifyMessage: (
    message: HttpMessage,
    verification: MessageVerification,
  ) => Promise<VerifiedMessage | MessageRefusal>;
  readonly signMessage: (
    message: HttpMessage,
    signature: ProfiledSignature,
  ) => Promise<{ readonly headers: ProfiledSignatureLines; readonly signatureBase: string }>;
  readonly verifyingKey: (
    key: string | JsonWebKeyObject,
    options?: MessageKeyOptions,
  ) => MessageVerifyingKey | Promise<MessageVerifyingKey>;
  /** Takes PKCS#8 in PEM. */
  readonly signingKey: (
    pem: string,
    options?: Pick<MessageKeyOptions, 'algorithm'>,
  ) => MessageSigningKey | Promise<MessageSigningKey>;
}

export const platforms: readonly MessagesPlatform[] = [
  {
    name: 'node:crypto',
    verifyMessage: node.verifyMessage,
    signMessage: node.signMessage,
    verifyingKey: node.verifyingKey,
    signingKey: node.signingKey,
  },
  {
    name: 'Web Crypto',
    verifyMessage: web.verifyMessage,
    signMessage: web.signMessage,
    verifyingKey: web.verifyingKey,
    signingKey: web.signingKey,
  },
];

/** Returns the header lines as a list, with others added. */
export function withLines(
  headers: Iterable<readonly [string, string]>,
  added: object,
): readonly (readonly [string, string])[] {
  return [...headers, ...(Object.entries(added) as [string, string][])];
}
