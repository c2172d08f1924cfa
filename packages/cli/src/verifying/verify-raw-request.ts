import { type RawRequest, readRawRequest } from '@countersign/explain/request-text';
import {
  acceptReplaysUnsafely,
  type ProfileId,
  type ReceivedRequest,
  type Refusal,
  type Verification,
  type VerificationKey,
  verifyRequest,
} from '@countersign/signature/node';
import { refuse } from '@countersign/signature/profile';
import { otherScheme, targetUriOf, type TargetSettings } from './target-uri.ts';

export interface VerifySettings extends TargetSettings {
  readonly key: VerificationKey;
  /** The only accepted keyid. Undefined: any. */
  readonly clientId: string | undefined;
  readonly nowSeconds: number;
  readonly profile: ProfileId;
}

export interface RawVerification {
  readonly verification: Verification<unknown>;
  readonly request: RawRequest | undefined;
  readonly targetUri: string | undefined;
  readonly warnings: readonly string[];
  /** A change of settings that would make the signature valid. */
  readonly hint: string | undefined;
}

/**
 * Verifies a request's bytes. Does not check the client's state, network and roles, or whether the request is a
 * replay.
 */
export function verifyRawRequest(bytes: Uint8Array, settings: VerifySettings): RawVerification {
  const raw = readRawRequest(bytes);
  if (!raw.ok) return unreadable(raw.reason);
  const targetUri = targetUriOf(raw, settings);
  if (typeof targetUri === 'object') return { ...unreadable(targetUri.reason), request: raw };
  const verification = verifyAs(targetUri, raw, settings);
  const isUnverified = !verification.ok && verification.code === 'signature_invalid';
  return {
    verification,
    request: raw,
    targetUri,
    warnings: raw.warnings,
    hint: isUnverified ? findHint(raw, targetUri, settings) : undefined,
  };
}

function unreadable(reason: string): RawVerification {
  const verification: Refusal = refuse('request_malformed', reason);
  return { verification, request: undefined, targetUri: undefined, warnings: [], hint: undefined };
}

function verifyAs(targetUri: string, raw: RawRequest, settings: VerifySettings): Verification<unknown> {
  const { method, headers, body } = raw;
  const received: ReceivedRequest = { method, targetUri, headers, body };
  const client = { keys: [settings.key], profile: settings.profile };
  let keyid: string | undefined;
  const verification = verifyRequest(received, {
    clientByKeyid: (presented) => {
      keyid = presented;
      return settings.clientId === undefined || settings.clientId === presented ? client : undefined;
    },
    guard: acceptReplaysUnsafely,
    nowSeconds: () => settings.nowSeconds,
  });
  if (verification.ok || verification.code !== 'signature_invalid') return verification;
  if (settings.clientId !== undefined && keyid !== undefined && keyid !== settings.clientId) {
    const both = { expected: settings.clientId, received: keyid };
    return refuse('signature_invalid', 'the signature names another clientId', both);
  }
  return refuse('signature_invalid', 'the key does not verify the signature of this method, URL and headers');
}

function findHint(raw: RawRequest, targetUri: string, settings: VerifySettings): string | undefined {
  const other = otherScheme(raw, targetUri, settings);
  if (other === undefined) return undefined;
  const isValid = verifyAs(other.uri, raw, settings);
  // A rejection after the signature check proves it as well as acceptance does.
  return !isValid.ok && isValid.code === 'signature_invalid' ? undefined : other.hint;
}
