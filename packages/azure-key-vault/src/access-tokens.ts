import { KeyStoreError } from '@countersign/key-store';

/** A `TokenCredential` of `@azure/identity`, by its shape. */
export interface AzureCredential {
  getToken(
    scope: string,
    options?: { readonly abortSignal?: AbortSignal },
  ): Promise<{ readonly token: string; readonly expiresOnTimestamp: number } | null>;
}

/** Renewed this long before it expires. */
const marginMs = 120_000;

/**
 * Access tokens for one scope. Some credentials start a program for each token, so one is used until shortly
 * before it expires.
 */
export class AccessTokens {
  readonly #credential: AzureCredential;
  readonly #scope: string;
  #token = '';
  #expiresAtMs = 0;
  #asking: Promise<string> | undefined;

  constructor(credential: AzureCredential, scope: string) {
    this.#credential = credential;
    this.#scope = scope;
  }

  async current(abortSignal: AbortSignal): Promise<string> {
    if (this.#token !== '' && Date.now() < this.#expiresAtMs - marginMs) return this.#token;
    this.#asking ??= this.#ask(abortSignal).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Requests another token next time. */
  forget(): void {
    this.#token = '';
  }

  async #ask(abortSignal: AbortSignal): Promise<string> {
    const answer = await this.#credential.getToken(this.#scope, { abortSignal }).catch((error: unknown) => {
      if (abortSignal.aborted) throw error;
      // The credential's own error can contain the request for a token.
      return null;
    });
    if (answer === null) {
      throw new KeyStoreError(
        'access_denied',
        'There is no access token for Azure Key Vault: the credential did not give one. Sign in with "az login", or set up the identity that the program runs with.',
      );
    }
    this.#token = answer.token;
    this.#expiresAtMs = answer.expiresOnTimestamp;
    return this.#token;
  }
}
