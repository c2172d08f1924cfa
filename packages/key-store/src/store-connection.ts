import { type AttemptSettings, Attempts } from './attempts.ts';
import { visibleText } from './answers.ts';
import { KeyStoreError, type KeyStoreErrorCode, optionsInvalid } from './key-store-error.ts';

export interface StoreConnectionOptions extends AttemptSettings {
  /** Sends requests; your own can use a proxy, a private CA or a client certificate. Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** **Dangerous:** sends credentials to this address over an unencrypted connection. Not needed for `localhost`. */
  readonly allowUnencryptedConnection?: boolean | undefined;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** A store's error, in terms of this package. The text is the store's own. */
export interface Refused {
  readonly code: KeyStoreErrorCode;
  readonly text?: unknown;
  /** Overrides the code's default: true to retry, false not to. */
  readonly isTransient?: boolean;
}

export interface StoreCall {
  readonly method: 'GET' | 'POST';
  /** Relative to the address, with its `/`. */
  readonly path: string;
  readonly body?: JsonObject;
  /** The subject of the call, for messages. */
  readonly keyId: string;
  /** False for a call that must not reach the store twice. */
  readonly isRepeatable: boolean;
  /** Returns the headers for each attempt, because credentials are renewed. */
  readonly headers: (signal: AbortSignal) => Promise<Readonly<Record<string, string>>>;
  /** Validates a response before it is used. Transient errors that it throws are retried. */
  readonly check?: (answer: JsonObject) => void;
  /** Interprets a status other than 2xx. */
  readonly refused: (status: number, body: JsonObject) => Refused;
}

/** Sends JSON to a key store that is an HTTP service, and returns its JSON. */
export class StoreConnection {
  readonly #store: string;
  readonly #address: string;
  readonly #attempts: Attempts;
  readonly #fetch: typeof fetch;

  /**
   * @param store its name, for messages
   * @throws KeyStoreError for invalid options
   */
  constructor(store: string, address: string, options: StoreConnectionOptions) {
    this.#store = store;
    this.#address = checkedAddress(address, options.allowUnencryptedConnection ?? false);
    this.#attempts = new Attempts(store, options);
    this.#fetch = options.fetch ?? fetch;
  }

  async send(call: StoreCall): Promise<JsonObject> {
    const attempt = (signal: AbortSignal): Promise<JsonObject> => this.#sendOnce(call, signal);
    return call.isRepeatable ? this.#attempts.repeatable(attempt) : this.#attempts.once(attempt);
  }

  async #sendOnce(call: StoreCall, signal: AbortSignal): Promise<JsonObject> {
    const { method, path, body } = call;
    const headers = await call.headers(signal);
    let status: number;
    let text: string;
    try {
      const response = await this.#fetch(this.#address + path, {
        method,
        headers: {
          Accept: 'application/json',
          ...(body && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
        // Custom credential headers would be sent to the redirect's target.
        redirect: 'manual',
        signal,
      });
      status = response.status;
      text = await boundedText(response);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof KeyStoreError) throw error;
      throw new KeyStoreError('store_unavailable', `${this.#store} cannot be reached (${causeOf(error)}).`);
    }
    return this.#readAnswer(call, status, withoutSecrets(text, headers));
  }

  #readAnswer(call: StoreCall, status: number, text: string): JsonObject {
    const json = readJson(text);
    if (status >= 200 && status < 300) {
      if (json) {
        call.check?.(json);
        return json;
      }
      throw new KeyStoreError('answer_invalid', `${this.#store} answered with something else than JSON.`);
    }
    if (status >= 300 && status < 400) {
      throw new KeyStoreError(
        'store_unavailable',
        `${this.#store} redirects (${status}). Redirects are not followed, because they would take the credentials along: use the address that it redirects to.`,
        false,
      );
    }
    const { code, text: reason, isTransient } = call.refused(status, json ?? {});
    const detail = visibleText(reason);
    const message = `${this.#store} refused the key ${call.keyId} with ${status}${detail && `: ${detail}`}`;
    throw new KeyStoreError(code, message, isTransient);
  }
}

/** Returns a member that must be an object; an empty object if it is not. */
export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function readJson(text: string): JsonObject | undefined {
  // Vault responds to some calls with 204.
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

/** A Vault key with a thousand versions has less. */
const answerBytesMax = 4_194_304;

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > answerBytesMax)
      throw new KeyStoreError('answer_invalid', `The answer is longer than ${answerBytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Removes credentials that a response repeats, because its texts become messages. */
function withoutSecrets(text: string, headers: Readonly<Record<string, string>>): string {
  const secrets = Object.values(headers).flatMap((value) =>
    value.split(' ').filter((word) => word.length >= 12),
  );
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[removed]'), text);
}

/**
 * Returns the code of the error that stopped `fetch`, such as ECONNREFUSED. The message may contain the URL,
 * so it is not used.
 */
function causeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'string' ? visibleText(cause.code) : 'connection failed';
}

function checkedAddress(address: unknown, allowUnencrypted: boolean): string {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw optionsInvalid('The address must be a URL such as https://vault.example.com:8200.');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw optionsInvalid('The address must have no user, password, query or fragment.');
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLocal && !allowUnencrypted) {
    throw optionsInvalid(
      'The address must begin with https://, because credentials are sent to it. Only localhost may be http://.',
    );
  }
  return url.href.replace(/\/+$/, '');
}
