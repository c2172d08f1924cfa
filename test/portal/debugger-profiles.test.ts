import assert from 'node:assert/strict';
import { constants, createPublicKey, hash, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { openLocalRegistry } from '@countersign/server/local-registry';
import { keyObjectThumbprint } from '@countersign/signature/node';
import { makeKeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import type { Browser, Page } from 'playwright-core';
import { signatureDebugger as words } from '../../packages/portal/src/messages/en/debugger.ts';
import { brokenRules } from '../../packages/portal/test/axe.ts';
import { skipWithoutBrowser, type Visitor } from './browser.ts';
import { openNorthwind } from './northwind.ts';
import type { PortalSession } from './portal-session.ts';
import type { PortalService } from './scene.ts';
import { stickingOut } from './sticking-out.ts';

/** A profile that the operator wrote: nobody else has it. */
const ownProfile = {
  id: 'northwind-cron',
  title: 'Cron jobs of Northwind',
  message: 'request',
  select: { tag: 'cron' },
  components: { required: [{ identifier: '@method' }, { identifier: '@target-uri' }], others: 'none' },
  parameters: { created: 'required', keyid: 'required', tag: 'required' },
  algorithms: ['ecdsa-p256-sha256'],
  time: { maxAgeSeconds: 300, maxFutureSeconds: 60 },
  replay: 'base',
};
const profiles = JSON.stringify(['curl-8.22', 'web-bot-auth-01', 'fapi-2-request-01', ownProfile]);
const created = Math.floor(Date.now() / 1000);

/** Returns true if a script of the portal has the profiles besides the closed one. */
function hasOtherProfiles(path: string): boolean {
  const file = new URL(`../../packages/portal/dist/${path.replace('/portal/', '')}`, import.meta.url);
  return /\/profiles-/.test(path) && readFileSync(file, 'utf8').includes('web-bot-auth');
}

describe('the debugger judges by the client’s profile, in Chromium', { skip: skipWithoutBrowser }, () => {
  const curlKeys = makeKeyPairFor('ed25519');
  const agentKeys = makeKeyPairFor('ed25519');
  const cronKeys = makeKeyPairFor('ecdsa-p256-sha256');
  const bankKeys = makeKeyPair();
  const thumbprint = keyObjectThumbprint(createPublicKey(agentKeys.publicKey));
  const clients: Record<string, string> = {};
  const loaded: string[] = [];
  const asked: string[] = [];
  let service: PortalService;
  let browser: Browser;
  let owner: PortalSession;
  let ada: Visitor;
  let page: Page;
  let host = '';

  before(async () => {
    ({ service, owner, browser, ada, page } = await openNorthwind({ COUNTERSIGN_PROFILES: profiles }));
    ({ host } = new URL(service.origin));
    const add = async (name: string, client: object): Promise<void> => {
      const { clientId } = await owner.send<{ clientId: string }>('POST', '/v1/clients', {
        name,
        networkWhitelist: [{ entry: '127.0.0.1' }],
        ...client,
      });
      clients[name] = clientId;
    };
    await add('Curl', { profile: 'curl-8.22', publicKey: curlKeys.publicKey });
    await add('Agent', { profile: 'web-bot-auth-01', publicKey: agentKeys.publicKey });
    await add('Bank', { profile: 'fapi-2-request-01', publicKey: bankKeys.publicKey, algorithm: 'PS256' });
    await add('Cron', { profile: 'northwind-cron', publicKey: cronKeys.publicKey });
    await add('Plain', { publicKey: makeKeyPair().publicKey });
    const registry = await openLocalRegistry({ dataFolder: service.dataFolder });
    await registry.addClient({
      name: 'Lost',
      accountId: owner.accountId,
      network: ['127.0.0.1'],
      roles: [],
      profile: 'gnap-rfc9635',
    });
    await registry.close();
    ada.context.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith('.js')) loaded.push(pathname);
      asked.push([request.url(), request.postData() ?? ''].join(' '));
    });
  });

  after(async () => {
    await browser?.close();
    await service?.close();
  });

  interface Signed {
    readonly label?: string;
    readonly target?: string;
    readonly method?: string;
    readonly lines: readonly (readonly [identifier: string, value: string])[];
    readonly params: string;
    readonly headers?: readonly string[];
    readonly body?: string;
    readonly sign: (base: Buffer) => Buffer;
    /** The mistake. */
    readonly change?: (base: string) => string;
  }

  /** Signs by hand, with a mistake. */
  function pasted(one: Signed): string {
    const { label = 'sig1', target = '/v1/payments', method = 'GET', lines, headers = [], body = '' } = one;
    const member = `(${lines.map(([name]) => name).join(' ')});created=${created}${one.params}`;
    const base = [...lines.map(([name, value]) => `${name}: ${value}`), `"@signature-params": ${member}`];
    const signature = one.sign(Buffer.from((one.change ?? String)(base.join('\n'))));
    return [
      `${method} ${target} HTTP/1.1`,
      `Host: ${host}`,
      ...headers,
      `Signature-Input: ${label}=${member}`,
      `Signature: ${label}=:${signature.toString('base64')}:`,
      '',
      body,
    ].join('\n');
  }

  const asCurl = (): Signed => ({
    lines: [
      ['"@method"', 'GET'],
      ['"@authority"', host],
      ['"@path"', '/v1/payments'],
    ],
    params: `;keyid="${clients['Curl']}";alg="ed25519"`,
    sign: (base) => sign(undefined, base, curlKeys.privateKey),
  });
  const asAgent = (): Signed => ({
    label: 'sig2',
    headers: ['Signature-Agent: agent="https://agent.example.test"'],
    lines: [
      ['"@authority"', host],
      ['"signature-agent";key="agent"', '"https://agent.example.test"'],
    ],
    params: `;expires=${created + 300};keyid="${thumbprint}";alg="ed25519";nonce="bm9uY2U=";tag="web-bot-auth"`,
    sign: (base) => sign(undefined, base, agentKeys.privateKey),
  });
  const asCron = (): Signed => ({
    lines: [
      ['"@method"', 'GET'],
      ['"@target-uri"', `${service.origin}/v1/payments`],
    ],
    params: `;keyid="${clients['Cron']}";tag="cron"`,
    sign: (base) => sign('sha256', base, { key: cronKeys.privateKey, dsaEncoding: 'ieee-p1363' }),
  });
  const asBank = (saltLength = 32): Signed => {
    const body = '{"amount":1250}';
    const digest = `sha-256=:${hash('sha256', body, 'base64')}:`;
    return {
      method: 'POST',
      label: 'sig',
      body,
      headers: [
        'Authorization: Bearer at-1234',
        `Content-Length: ${body.length}`,
        `Content-Digest: ${digest}`,
      ],
      lines: [
        ['"@method"', 'POST'],
        ['"@target-uri"', `${service.origin}/v1/payments`],
        ['"authorization"', 'Bearer at-1234'],
        ['"content-digest"', digest],
      ],
      params: `;keyid="${clients['Bank']}";tag="fapi-2-request"`,
      sign: (base) =>
        sign('sha256', base, {
          key: bankKeys.privateKey,
          padding: constants.RSA_PKCS1_PSS_PADDING,
          saltLength,
        }),
    };
  };

  async function paste(text: string, client?: string): Promise<void> {
    await page.goto('/portal/logs/debugger');
    await page.getByLabel(words.text).fill(text);
    if (client === undefined) return;
    await page.getByRole('combobox', { name: words.client }).click();
    await page.getByRole('option', { name: client, exact: true }).click();
    await page.getByText(words.keysFound(1)).waitFor();
  }
  const explain = (): Promise<void> => page.getByRole('button', { name: words.explain }).click();
  const profile = (): ReturnType<Page['getByRole']> => page.getByRole('combobox', { name: words.profile });
  const faults = async (): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (const width of [320, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      found.push(...(await brokenRules(page)), ...(await stickingOut(page)));
    }
    return found;
  };

  it('a closed client loads none of it', async () => {
    await paste(pasted(asCurl()), 'Plain');
    assert.equal(await profile().inputValue(), "Countersign's closed profile (countersign)");
    await explain();
    await page
      .getByText(/follows another profile|curl's --httpsig/)
      .first()
      .waitFor();
    assert.ok(loaded.some((path) => path.includes('explain-worker')));
    assert.deepEqual(loaded.filter(hasOtherProfiles), []);
  });

  it('curl with Ed25519: the mistake is proved, and what to send is said', async () => {
    await paste(pasted({ ...asCurl(), change: (base) => base.replace('GET', 'get') }), 'Curl');
    assert.match(await profile().inputValue(), /curl-8\.22/);
    await explain();
    await page.getByText(words.verdicts.mistakes(1)).waitFor();
    await page.getByText('Proven', { exact: true }).waitFor();
    await page.getByText('sig1=("@method" "@authority" "@path");created;alg="ed25519"').waitFor();
    await page.getByText(words.baseMendedByProfile).waitFor();
    assert.ok(loaded.some(hasOtherProfiles));
    assert.deepEqual(await faults(), []);
  });

  it('an agent of the web: the client is found by the thumbprint of its key', async () => {
    asked.length = 0;
    await paste(pasted({ ...asAgent(), change: (base) => `${base}\n` }));
    await explain();
    await page.getByText(words.findClientText).waitFor();
    assert.deepEqual(
      asked.filter((one) => one.includes(thumbprint)),
      [],
      'nothing is sent before it is asked for',
    );
    await page.getByRole('button', { name: words.findClient }).click();
    await page.getByText('Proven', { exact: true }).waitFor();
    await page
      .getByRole('heading', { name: 'The signature base has white space at its start or end' })
      .waitFor();
    assert.match(await profile().inputValue(), /web-bot-auth-01/);
    assert.equal(await page.getByText(words.findClientText).count(), 0);
    assert.deepEqual(
      asked.filter((one) => one.includes('agent.example.test')),
      [],
    );
    assert.deepEqual(ada.complaints, []);
  });

  it('a thumbprint that nobody has', async () => {
    const other = pasted(asAgent()).replaceAll(thumbprint, thumbprint.split('').toReversed().join(''));
    await paste(other);
    await explain();
    await page.getByRole('button', { name: words.findClient }).click();
    await page.getByText(words.noClientOfKey).waitFor();
  });

  it('FAPI with PS256: a salt of the wrong length', async () => {
    await paste(pasted(asBank()), 'Bank');
    await explain();
    await page.getByText(words.verdicts.valid).waitFor();
    await paste(pasted(asBank(20)), 'Bank');
    await explain();
    await page.getByText('Proven', { exact: true }).waitFor();
    await page.getByRole('heading', { name: /salt/i }).waitFor();
  });

  it('a profile of the operator’s own, with ECDSA', async () => {
    await paste(pasted(asCron()), 'Cron');
    await explain();
    await page.getByText(words.verdicts.valid).waitFor();
    await paste(
      pasted({ ...asCron(), change: (base) => base.replace('/v1/payments', '/v1/payments/') }),
      'Cron',
    );
    await explain();
    await page.getByText(words.verdicts.mistakes(1)).waitFor();
    await page.getByText('Proven', { exact: true }).waitFor();
  });

  it('a request in another dialect than the client’s is named as such', async () => {
    const text = pasted(asAgent()).replaceAll(thumbprint, clients['Curl']!);
    await paste(text, 'Curl');
    await explain();
    await page.getByText(/web-bot-auth-01.*registered for curl-8\.22/).waitFor();
  });

  it('a pasted key is judged by a profile that is chosen', async () => {
    await paste(pasted({ ...asCurl(), change: (base) => base.replaceAll('\n', '\r\n') }));
    await page.getByRole('radiogroup', { name: words.keyFrom }).getByText(words.pasted).click();
    await page.getByRole('textbox', { name: words.publicKey }).fill(curlKeys.publicKey);
    await profile().click();
    await page.getByRole('option', { name: /curl-8\.22/ }).click();
    await explain();
    await page.getByText('Proven', { exact: true }).waitFor();
  });

  it('a profile that the service does not accept is not guessed', async () => {
    await page.goto('/portal/logs/debugger');
    await page.getByLabel(words.text).fill(pasted(asCurl()));
    await page.getByRole('combobox', { name: words.client }).click();
    await page.getByRole('option', { name: 'Lost', exact: true }).click();
    await page.getByText(words.noKeys).waitFor();
    await explain();
    await page.locator('a[href="#debug-profile"]').waitFor();
    assert.deepEqual(await faults(), []);
    await profile().click();
    await page.getByRole('option', { name: /curl-8\.22/ }).click();
    await page.getByText(words.profileNotOfClient('gnap-rfc9635')).waitFor();
    await explain();
    await page.getByRole('heading', { name: words.checks }).waitFor();
  });

  it('says what changed on the way', async () => {
    const sent = pasted(asCurl());
    await paste(sent.replace('/v1/payments HTTP', '/v1/payments/ HTTP'), 'Curl');
    await page.getByText(words.compare).click();
    await page.getByLabel(words.sent).fill(sent);
    await explain();
    await page.getByText(words.hopVerdicts.broken).waitFor();
    await page.getByText(words.hopProven).waitFor();
  });
});
