import assert from 'node:assert/strict';

/** A person with a session but without a browser, who sends the same requests as the portal's pages. */
export class PortalSession {
  readonly origin: string;
  readonly #cookies = new Map<string, string>();
  /** The account to work in. */
  accountId: string | undefined;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** Sends a request as a page does. Fails with the response if it is rejected. */
  async send<Answer = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const response = await fetch(this.origin + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(this.#cookies.size > 0 && {
          Cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; '),
        }),
        ...(this.accountId !== undefined && { 'Countersign-Account': this.accountId }),
        Origin: this.origin,
        'Sec-Fetch-Site': 'same-origin',
        'Countersign-CSRF': '1',
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Answer;
  }
}
