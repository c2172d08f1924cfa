import { type Answer, keyDirectoryPath, ProblemError, type RequestHead } from '@countersign/gate';
import { contentDigest } from '@countersign/signature/node';
import { signDirectory } from '../forwarding/directory-signature.ts';
import type { PublishedKey } from '../forwarding/key-table.ts';
import type { OwnKey } from '../forwarding/own-key.ts';
import { StorageError } from '../storage/storage-error.ts';
import { type FindPage, isReading, pageRoute } from './page-route.ts';

/** The keys that a directory has, and those that sign it. */
export interface DirectoryKeys {
  /** Reads the public keys of all nodes. */
  readonly published: () => Promise<readonly PublishedKey[]>;
  /** Returns the keys of this node. */
  readonly own: () => readonly OwnKey[];
  /** The wall clock, in milliseconds. */
  readonly nowMs: () => number;
}

/**
 * Serves the public keys of all nodes as a JWK Set (RFC 7517 section 5), signed with those of this node: no other node's
 * private keys are here.
 */
export function createKeyDirectory(keys: DirectoryKeys): FindPage {
  return (head) => {
    if (head.path !== keyDirectoryPath || !isReading(head)) return undefined;
    return pageRoute(() => answerWith(keys, head));
  };
}

async function answerWith(keys: DirectoryKeys, head: RequestHead): Promise<Answer> {
  try {
    return answerDirectory(await keys.published(), keys, head);
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new ProblemError('storage_unavailable', { detail: error.message, cause: error });
  }
}

function answerDirectory(
  published: readonly PublishedKey[],
  { own, nowMs }: DirectoryKeys,
  { method, targetUri }: RequestHead,
): Answer {
  const keys = published.map(({ keyid, publicKey, endsAtMs }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    kid: keyid,
    x: publicKey,
    use: 'sig',
    exp: Math.floor(endsAtMs / 1000),
  }));
  const bytes = Buffer.from(JSON.stringify({ keys }));
  const signing = own().filter(({ keyid }) => published.some((one) => one.keyid === keyid));
  // The digest is that of the content, which a response to HEAD does not have.
  const signature =
    method === 'HEAD'
      ? {}
      : signDirectory({ contentDigest: contentDigest(bytes), targetUri }, signing, nowMs());
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/http-message-signatures-directory+json',
      'Cache-Control': 'public, max-age=60',
      ...signature,
    },
    bytes,
  };
}
