import type { DefinedProfile, MessageAlgorithm } from '@countersign/signature/messages';
import type { UsedSeconds } from '@countersign/signature';
import type { BareSigner, TakeSecond } from './request-signer.ts';

/** What a signer by a profile signs, and with which key. */
export interface ProfileSettings {
  /** A profile of `defineProfile`, or the id of one that comes with the library. */
  readonly profile: DefinedProfile | string;
  /** Undefined for the thumbprint of the public key. */
  readonly keyid: string | undefined;
  /** True if a keyid must be the thumbprint of the public key, where that is known. */
  readonly isThumbprint: boolean;
  /** The algorithm of the key. Undefined: the key says it. */
  readonly algorithm: MessageAlgorithm | undefined;
  /** The algorithms that may be used. Undefined: the profile's. */
  readonly algorithms: readonly MessageAlgorithm[] | undefined;
  /** Advice for a key of another algorithm. */
  readonly keyAdvice: string | undefined;
  /** One of the profile's tags. Undefined: its first. */
  readonly tag: string | undefined;
  /** Header lines that each request gets. */
  readonly ownHeaders: readonly (readonly [name: string, value: string])[];
  /** Components to cover in addition, where the profile permits it. A digest is covered only with a body. */
  readonly alsoCover: readonly string[];
}

/** A function that signs. Without an `algorithm`, the settings say it. */
export interface ProfileSign {
  (base: Uint8Array): Uint8Array | Promise<Uint8Array>;
  readonly algorithm?: (() => MessageAlgorithm | Promise<MessageAlgorithm>) | undefined;
}

/** A key, which may be replaced while the program runs. */
export interface ProfileKey {
  readonly sign: ProfileSign;
  /** Returns the public half of the current key. Undefined if the key never changes, or has no known public half. */
  readonly publicKey: (() => Promise<string>) | undefined;
}

/** What a key will be used for. */
export interface WantedKey {
  readonly algorithms: readonly MessageAlgorithm[];
  /** The one algorithm for RSA keys. Undefined if there are none or several. */
  readonly rsa: MessageAlgorithm | undefined;
}

/** The parts of a signer that depend on the runtime. */
export interface ProfileMeans {
  /** Opens the key; later calls return the same one, or the one that has replaced it. */
  readonly profileKey: (wanted: WantedKey) => Promise<ProfileKey>;
  /** The memory of used seconds that all signers of the program share. */
  readonly usedSeconds: UsedSeconds;
  /** Undefined if no other process signs with the key. */
  readonly takeSecond?: TakeSecond | undefined;
}

/** Signs requests by a profile. */
export interface ProfileSigner extends BareSigner {
  /** Finds out what profile and key are. Rejects with SigningError if they cannot be used. */
  ready(): Promise<void>;
}

/** Prepares a signer that loads the general library with its first request: ordinary clients never do. */
export function lazyProfileSigner(
  settings: ProfileSettings,
  means: ProfileMeans,
  nowMs: () => number,
): ProfileSigner {
  let loading: Promise<ProfileSigner> | undefined;
  const load = (): Promise<ProfileSigner> =>
    (loading ??= import('./profile-signer.ts').then(({ createProfileSigner }) =>
      createProfileSigner(settings, means, nowMs),
    ));
  return {
    ready: async () => (await load()).ready(),
    sign: async (request, time) => (await load()).sign(request, time),
  };
}
