import assert from 'node:assert/strict';
import { type Answer, baseUrl } from '@countersign/testing/running-service';
import type { Browser } from './browser.ts';
import type { OpenIdProvider } from './openid-provider.ts';

/** Settings of a service with an identity provider. */
export function providerSettings(issuer: string): Record<string, string> {
  return {
    COUNTERSIGN_OIDC_ISSUER: issuer,
    COUNTERSIGN_OIDC_CLIENT_ID: 'portal',
    COUNTERSIGN_OIDC_CLIENT_SECRET: 'provider secret',
    COUNTERSIGN_OIDC_NAME: 'Example SSO',
  };
}

/** Sends a browser to the provider and returns the address there. */
export async function start(browser: Browser, query = ''): Promise<string> {
  const answer = await browser.get(`oidc/start${query}`);
  assert.equal(answer.status, 302, answer.text);
  return String(answer.headers['location']);
}

/** Brings a browser back from the provider, which is another site, so no Strict cookie is sent. */
export function comeBack(browser: Browser, url: string): Promise<Answer> {
  assert.ok(url.startsWith(`${baseUrl}/portal/auth/oidc/callback?`), url);
  return browser.get(url.slice(baseUrl.length), {
    'Sec-Fetch-Site': 'cross-site',
    ...(browser.cookies.size > 0 && { Cookie: browser.laxCookieHeader() }),
  });
}

/** Signs in through the provider and returns the page it ends on. */
export async function signInVia(provider: OpenIdProvider, browser: Browser, query = ''): Promise<string> {
  const answer = await comeBack(browser, provider.authorize(await start(browser, query)));
  assert.equal(answer.status, 302, answer.text);
  return String(answer.headers['location']);
}

/** The page that a failed sign-in ends on. */
export function refusal(problem: string): string {
  return `${baseUrl}/portal/sign-in?problem=${problem}`;
}
