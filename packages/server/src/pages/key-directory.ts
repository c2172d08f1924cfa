import { type Answer, ProblemError } from '@countersign/gate';
import type { PublishedKey } from '../forwarding/key-table.ts';
import { StorageError } from '../storage/storage-error.ts';
import { type FindPage, isReading, pageRoute } from './page-route.ts';

/**
 * The path at which upstreams find the keys that sign forwarded requests
 * (draft-meunier-webbotauth-httpsig-directory).
 */
const keyDirectoryPath = '/.well-known/http-message-signatures-directory';

/** Serves the public keys of all nodes as a JWK Set (RFC 7517 section 5). */
export function createKeyDirectory(published: () => Promise<readonly PublishedKey[]>): FindPage {
  return (head) => {
    if (head.path !== keyDirectoryPath || !isReading(head)) return undefined;
    return pageRoute(() => answerWith(published));
  };
}

async function answerWith(published: () => Promise<readonly PublishedKey[]>): Promise<Answer> {
  try {
    return answerDirectory(await published());
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    throw new ProblemError('storage_unavailable', { detail: error.message, cause: error });
  }
}

function answerDirectory(published: readonly PublishedKey[]): Answer {
  const keys = published.map(({ keyid, publicKey, endsAtMs }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    kid: keyid,
    x: publicKey,
    use: 'sig',
    exp: Math.floor(endsAtMs / 1000),
  }));
  return {
    status: 200,
    headers: {
      'Content-Type': 'application/http-message-signatures-directory+json',
      'Cache-Control': 'public, max-age=60',
    },
    body: { keys },
  };
}
