import assert from 'node:assert/strict';
import { type Answer, baseUrl, type RunningService } from '@countersign/testing/running-service';

/** Does what a browser does for the portal: keeps cookies and says where its requests come from. */
export class Browser {
  readonly #running: RunningService;
  readonly cookies: Map<string, string> = new Map();
  /** Additional headers of every request. */
  readonly headers: Record<string, string>;
  readonly #localAddress: string | undefined;

  constructor(running: RunningService, { headers = {}, localAddress }: BrowserOptions = {}) {
    this.#running = running;
    this.headers = headers;
    this.#localAddress = localAddress;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('GET', path, undefined, headers);
  }

  /** Sends JSON below `/portal/auth/`, as the portal's pages do. */
  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('POST', path, body, headers);
  }

  async request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await this.#running.send({
      method,
      url: path.startsWith('/') ? path : `/portal/auth/${path}`,
      ...(this.#localAddress !== undefined && { localAddress: this.#localAddress }),
      headers: {
        'Sec-Fetch-Site': 'same-origin',
        ...(method !== 'GET' && { Origin: baseUrl, 'Countersign-CSRF': '1' }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(this.cookies.size > 0 && { Cookie: this.cookieHeader() }),
        ...this.headers,
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    this.#keep(answer);
    return answer;
  }

  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Returns the cookies it sends when another site leads here. */
  laxCookieHeader(): string {
    return [...this.cookies]
      .filter(([name]) => name === '__Host-countersign-oidc')
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
  }

  async state(): Promise<Record<string, unknown>> {
    const answer = await this.get('state');
    assert.equal(answer.status, 200, answer.text);
    return answer.json();
  }

  #keep({ headers }: Answer): void {
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const [, name, value, attributes] = /^([^=]+)=([^;]*)(.*)$/.exec(line)!;
      // What the prefix asks of it (RFC 6265bis section 4.1.3.2), and what we ask of every cookie.
      assert.match(name!, /^__Host-countersign-/);
      assert.match(attributes!, /; Path=\/(?:;|$)/);
      assert.match(attributes!, /; Secure(?:;|$)/);
      assert.match(attributes!, /; HttpOnly(?:;|$)/);
      assert.doesNotMatch(attributes!, /Domain/i);
      const isOfProvider = name === '__Host-countersign-oidc' && value !== '';
      assert.match(attributes!, isOfProvider ? /; SameSite=Lax$/i : /; SameSite=Strict$/i);
      if (/; Max-Age=0(?:;|$)/.test(attributes!)) this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
  }
}

export interface BrowserOptions {
  readonly headers?: Record<string, string>;
  readonly localAddress?: string;
}

/** Asserts a rejection by its code, as a problem document. */
export function assertRefused(answer: Answer, status: number, code: string): Record<string, unknown> {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  assert.equal(answer.headers['cache-control'], 'no-store');
  const problem = answer.json();
  assert.equal(problem['code'], code, answer.text);
  return problem;
}

export const sessionCookie = '__Host-countersign-session';
