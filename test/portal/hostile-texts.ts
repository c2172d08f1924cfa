import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { request } from 'node:http';
import { createSigner } from '@countersign/signature/node';
import { makeKeyPair } from '@countersign/testing/key-pair';
import { changeDatabase } from './change-database.ts';
import type { LivedInService } from './lived-in-service.ts';
import { PortalSession } from './portal-session.ts';
import { mailedLink, password, tokenOf } from './scene.ts';

/** Texts that do harm in a page that treats them as anything but text. */
export const payloads: Readonly<
  Record<'image' | 'vector' | 'link' | 'template' | 'joined' | 'formula' | 'long', string>
> = {
  image: '<img src=x onerror="globalThis.hasRun=1">',
  vector: '"><svg onload=globalThis.hasRun=1>',
  link: 'javascript:globalThis.hasRun=1',
  template: '{{constructor.constructor("globalThis.hasRun=1")()}}{{7*7}}',
  joined: 'one\u200dtwo\u200cthree',
  formula: '=HYPERLINK("https://evil.example";"x")',
  long: 'W'.repeat(90),
};

/** The client ID of a client that was imported with it. */
export const hostileClientId = '<img/src=x/onerror=globalThis.hasRun=1>?#%2F%00;=1';

/** Writes the payloads into everything that is stored and shown; returns the texts that pages must show unchanged. */
export async function fillWithHostileTexts(service: LivedInService): Promise<readonly string[]> {
  const shown: string[] = [];
  /** A text that is unique to its place. */
  const mark = (place: string, payload: string): string => {
    const text = `${place} ${payload}`;
    shown.push(text);
    return text;
  };
  await addClients(service, mark);
  await addRoles(service, mark);
  await addPeople(service, mark);
  await sendRequests(service);
  return shown;
}

const hostileKey = makeKeyPair();

type Mark = (place: string, payload: string) => string;

async function addClients({ running, accountId, owner }: LivedInService, mark: Mark): Promise<void> {
  const network = Object.values(payloads).map((payload, index) => ({
    entry: `198.51.100.${index}`,
    label: mark('L', payload),
  }));
  await running.change((registry) =>
    registry.addClient({
      accountId,
      clientId: hostileClientId,
      name: mark('id', payloads.image),
      network: [...network, { entry: '0.0.0.0' }],
      roles: ['payments-reader'],
      publicKey: hostileKey.publicKey,
    }),
  );
  for (const payload of Object.values(payloads)) {
    await owner.send('POST', '/v1/clients', {
      // Formulas work only at the start of a cell.
      name: payload === payloads.formula ? payload : mark('C', payload),
      networkWhitelist: network,
      roles: ['refunds'],
    });
  }
}

async function addRoles({ owner }: LivedInService, mark: Mark): Promise<void> {
  for (const [name, payload] of Object.entries(payloads)) {
    await owner.send('POST', '/v1/roles', {
      name: name === 'long' ? 'w'.repeat(64) : `role-${name}`,
      summary: name === 'long' ? mark('R', 'W'.repeat(190)) : mark('R', payload),
      permissions: ['payments:read'],
    });
  }
}

async function addPeople({ running, owner, operator, accountId }: LivedInService, mark: Mark): Promise<void> {
  const { image, vector, link, template, long } = payloads;
  for (const [index, payload] of [`${image}${vector}`, `${template}${link}`, long].entries()) {
    const email = `o'${index}-+_--alert.1@northwind.example`;
    await owner.send('POST', '/v1/invitations', { email, role: 'viewer' });
    const session = new PortalSession(owner.origin);
    const token = tokenOf(await mailedLink(running.dataFolder, email));
    const name = mark('P', payload);
    await session.send('POST', '/portal/auth/invitation/accept', { token, name, password });
  }
  await owner.send('POST', '/v1/invitations', {
    email: `${'w'.repeat(64)}@${'w'.repeat(60)}.example`,
    role: 'viewer',
  });
  await owner.send('PATCH', '/portal/auth/profile', { name: mark('Ada', image) });
  const agent = new PortalSession(owner.origin);
  await agent.send(
    'POST',
    '/portal/auth/sign-in',
    { email: 'ada@northwind.example', password },
    {
      'User-Agent': `${payloads.vector} ${payloads.image}`,
      'X-Forwarded-For': `${payloads.image}, =1+1`,
    },
  );
  await nameAccounts(operator, accountId, mark);
  await addPasskeys(running, mark);
}

async function nameAccounts(operator: PortalSession, accountId: string, mark: Mark): Promise<void> {
  const own = operator.accountId;
  const name = mark('Northwind Payments', payloads.image);
  await operator.send('PATCH', `/v1/accounts/${accountId}`, { name }, { 'If-Match': '*' });
  await operator.send('POST', '/v1/accounts', { name: mark('A', payloads.long) });
  // The long one is shown shortened.
  const long = 'W'.repeat(500);
  for (const reason of [mark('Reason', payloads.vector), mark('Reason', payloads.template), long]) {
    await operator.send('POST', '/v1/acting', { accountId, reason });
    operator.accountId = accountId;
    await operator.send('DELETE', '/v1/acting');
    operator.accountId = own;
  }
}

/** Olga's passkeys, written to storage: creating them needs a device. */
async function addPasskeys(running: LivedInService['running'], mark: Mark): Promise<void> {
  await changeDatabase(running, (database) => {
    const insert = database.prepare(
      `INSERT INTO person_passkeys (passkey_id, user_id, name, credential_id, public_key, counter, device_type, is_backed_up, created_at_ms)
       SELECT ?, user_id, ?, ?, '', 0, 'singleDevice', 0, 0 FROM persons WHERE email = 'olga@provider.example'`,
    );
    for (const [place, payload] of Object.entries(payloads))
      insert.run(`passkey_${place}`, mark('K', payload), `credential_${place}`);
  });
}

/** Sends requests of a client and of strangers that name one; their targets appear in the account's log. */
async function sendRequests({ running, origin, clientIds }: LivedInService): Promise<void> {
  const signer = createSigner({
    keyid: hostileClientId,
    privateKey: createPrivateKey(hostileKey.privateKey),
  });
  for (const query of ['', `?${encodeURIComponent(payloads.image)}=${encodeURIComponent(payloads.vector)}`]) {
    const { url, headers } = signer.sign({ method: 'GET', url: `${origin}/v1/payments${query}` });
    const response = await fetch(url, { headers: { ...headers } });
    assert.equal(response.status, query === '' ? 200 : 400, await response.text());
  }
  const targets = [
    '/v1/<img/src=x/onerror=globalThis.hasRun=1>?<svg/onload=globalThis.hasRun=1>=<b>',
    '/v1/%3Cimg%20src=x%20onerror=%22globalThis.hasRun=1%22%3E?%3Csvg%20onload=hasRun=1%3E=1',
    '/v1/{{7*7}};=HYPERLINK(1)?=1+1&@SUM(1)&-1&javascript:globalThis.hasRun=1',
    `/v1/${'W'.repeat(1000)}?${'w'.repeat(500)}`,
    '/v1/%E2%80%AEgpj.exe?%E2%80%AE=1',
  ];
  for (const clientId of [clientIds[0]!, hostileClientId]) {
    for (const path of targets) {
      await sendRaw(running.port, path, {
        'Signature-Input': `sig=("@method" "@target-uri");created=${Math.floor(Date.now() / 1000)};keyid="${clientId}";alg="rsa-v1_5-sha256"`,
        Signature: 'sig=:AAAA:',
        'User-Agent': payloads.vector,
        'X-Forwarded-For': `<img/src=x/onerror=globalThis.hasRun=1>`,
        Date: payloads.image,
      });
    }
  }
}

/** Sends a raw target, which `fetch` would encode. */
function sendRaw(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: 'localhost', port, path, headers, agent: false }, (incoming) => {
      incoming.resume();
      incoming.on('end', () => resolve(incoming.statusCode));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
