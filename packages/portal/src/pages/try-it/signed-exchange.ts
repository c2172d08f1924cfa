import { createSigner, MemoryUsedSeconds } from '@countersign/signature';

/** A request to try. */
export interface TriedRequest {
  readonly clientId: string;
  readonly privateKey: CryptoKey;
  readonly method: string;
  /** As `targetOf` returns it. */
  readonly url: string;
  /** Empty for none. */
  readonly body: string;
}

/** A request and its response. */
export interface SignedExchange {
  /** The request as text: method, URL, the headers that the page sets, body. */
  readonly request: string;
  readonly signatureBase: string;
  readonly status: number;
  /** Headers and body of the response as text. */
  readonly answer: string;
  /** From a problem document; undefined in other responses. */
  readonly problem:
    | { readonly code: string; readonly detail: string; readonly requestId: string | undefined }
    | undefined;
}

/** Shared by all signers: a key that is entered again must not sign the same bytes in the same second. */
const usedSeconds = new MemoryUsedSeconds();

/** Signs a request in this page and sends it to the page's own origin, without the session. */
export async function exchangeSigned({
  clientId,
  privateKey,
  method,
  url,
  body,
}: TriedRequest): Promise<SignedExchange> {
  // Browsers do not let a page set Date.
  const signer = await createSigner({ keyid: clientId, privateKey, coverDate: false, usedSeconds });
  const signed = await signer.sign({ method, url, ...(body !== '' && { body }) });
  const headers: Record<string, string> = {
    ...(body !== '' && { 'Content-Type': 'application/json' }),
    ...signed.headers,
  };
  const response = await fetch(signed.url, {
    method: signed.method,
    headers,
    ...(signed.body && { body: signed.body }),
    mode: 'same-origin',
    credentials: 'omit',
    redirect: 'manual',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
  });
  const text = (await response.text()).slice(0, answerLengthMax);
  const type = response.headers.get('content-type') ?? '';
  return {
    request: messageText(`${signed.method} ${signed.url}`, Object.entries(headers), body),
    signatureBase: signed.signatureBase,
    status: response.status,
    answer: messageText(
      `HTTP/1.1 ${response.status}`,
      [...response.headers],
      type.includes('json') ? indented(text) : text,
    ),
    problem: type.startsWith('application/problem+json') ? problemIn(text) : undefined,
  };
}

const answerLengthMax = 100_000;

function messageText(start: string, headers: readonly (readonly [string, string])[], body: string): string {
  const lines = [start, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return body === '' ? lines.join('\n') : `${lines.join('\n')}\n\n${body}`;
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function problemIn(text: string): SignedExchange['problem'] {
  try {
    const { code, detail, requestId } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (typeof code !== 'string') return undefined;
    return {
      code,
      detail: typeof detail === 'string' ? detail : '',
      requestId: typeof requestId === 'string' ? requestId : undefined,
    };
  } catch {
    return undefined;
  }
}
