import { type RawRequest, readRawRequest } from '@countersign/explain/request-text';
import type {
  DefinedProfile,
  MessageRefusal,
  MessageVerifyingKey,
  VerifiedMessage,
} from '@countersign/signature/messages';
import { otherScheme, targetUriOf, type TargetSettings } from './target-uri.ts';

export interface ProfileVerifySettings extends TargetSettings {
  readonly defined: DefinedProfile;
  readonly key: MessageVerifyingKey;
  /** The only accepted keyid. Undefined: any, or none. */
  readonly keyid: string | undefined;
  readonly nowSeconds: number;
}

/** A request that could be read, and what the profile says about it. */
export interface ProfileVerification {
  readonly result: VerifiedMessage | MessageRefusal | UnreadableRequest;
  readonly request: RawRequest | undefined;
  readonly targetUri: string | undefined;
  readonly warnings: readonly string[];
  /** A change of settings that would make the signature valid. */
  readonly hint: string | undefined;
}

/** Bytes that are not one request. */
export interface UnreadableRequest {
  readonly ok: false;
  readonly code: 'request_malformed';
  readonly reason: string;
}

/** Verifies a request's bytes by a profile. Does not check whether the request is a replay. */
export async function verifyByProfile(
  bytes: Uint8Array,
  settings: ProfileVerifySettings,
): Promise<ProfileVerification> {
  const raw = readRawRequest(bytes);
  if (!raw.ok) return unreadable(raw.reason, undefined);
  const targetUri = targetUriOf(raw, settings);
  if (typeof targetUri === 'object') return unreadable(targetUri.reason, raw);
  const result = await verifyAs(targetUri, raw, settings);
  const other = otherScheme(raw, targetUri, settings);
  const isOther =
    other !== undefined &&
    !result.ok &&
    result.code === 'signature_invalid' &&
    (await verifyAs(other.uri, raw, settings)).ok;
  return { result, request: raw, targetUri, warnings: raw.warnings, hint: isOther ? other.hint : undefined };
}

function unreadable(reason: string, request: RawRequest | undefined): ProfileVerification {
  const result: UnreadableRequest = { ok: false, code: 'request_malformed', reason };
  return { result, request, targetUri: undefined, warnings: [], hint: undefined };
}

async function verifyAs(
  targetUri: string,
  { method, headers, body }: RawRequest,
  { defined, key, keyid, nowSeconds }: ProfileVerifySettings,
): Promise<VerifiedMessage | MessageRefusal> {
  const { verifyMessage } = await import('@countersign/signature/messages/node');
  return verifyMessage(
    { method, targetUri, headers, body },
    {
      profile: defined,
      keysFor: (claimed) => (keyid === undefined || claimed.keyid === keyid ? key : undefined),
      // One run of this program cannot know what was used before.
      guard: { use: () => undefined },
      nowSeconds: () => nowSeconds,
    },
  );
}
