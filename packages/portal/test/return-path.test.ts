import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { safeReturnPath, signInPath } from '../src/session/return-path.ts';

describe('where the sign-in leads to', () => {
  describe('nowhere but into the portal', () => {
    const elsewhere = [
      'https://evil.example/',
      '//evil.example/',
      '///evil.example/',
      '/\\evil.example/',
      '\\\\evil.example/',
      '/\t/evil.example/',
      '/\n/evil.example/',
      'javascript:alert(1)',
      'evil.example',
      '/..//evil.example/',
      '/../../evil.example',
      '/%2e%2e/v1/clients',
      '/../v1/clients',
      '/integrations/../../v1/clients',
      '/auth/oidc/start?return=https://evil.example/',
      '/sign-in?return=/sign-in',
      '/reset-password',
      '/ü',
      '/a b',
      '/\u0000',
      `/${'a'.repeat(2000)}`,
      '',
      undefined,
      null,
    ];
    for (const text of elsewhere) {
      it(`leads to the overview for ${JSON.stringify(text)?.slice(0, 60)}`, () => {
        assert.equal(safeReturnPath(text), '/');
      });
    }
  });

  it('leads to pages of the portal, with their query', () => {
    for (const path of [
      '/',
      '/integrations/api-keys',
      '/integrations/api-keys/client_01?tab=keys',
      '/logs/requests?outcome=refused&from=2026-11-21T00%3A00%3A00Z',
      '/sign-ins',
    ])
      assert.equal(safeReturnPath(path), path);
  });

  it('keeps no fragment: it can hold what only this page may know', () => {
    assert.equal(safeReturnPath('/logs/requests#token=secret'), '/logs/requests');
  });

  it('survives being put into the address of the sign-in', () => {
    const path = '/integrations/api-keys/client_01?tab=keys&x=%26';
    const address = new URL(`https://portal.example${signInPath(path)}`);
    assert.equal(address.pathname, '/sign-in');
    assert.equal(safeReturnPath(address.searchParams.get('return')), path);
    assert.equal(signInPath('//evil.example'), '/sign-in');
  });
});
