import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { type ProblemCode, problems, type RequestEntry } from '@countersign/contract';
import { messageProfiles, signingKey } from '@countersign/signature/messages/node';
import { createSigner, type Signer } from '@countersign/signature/node';
import { nowMs, nowSeconds } from '@countersign/testing/draft';
import { type KeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { closeServer, listenOn } from '@countersign/testing/listen-on';
import {
  addParty,
  answerTo,
  apiForAll,
  type Content,
  freshUrl,
  type Party,
  profiles,
  type Sent,
  signed,
  signedOtherwise,
} from '@countersign/testing/profiled-requests';
import { type Answer, baseUrl } from '@countersign/testing/running-service';
import { waitFor } from '@countersign/testing/wait-until';

/*
 * What only requests by other profiles can be wrong about has a code of its own. Nothing gets in, and the client's owner finds
 * the request under that code.
 */

const { adcp32, curl822, fapi2Request01, gnap, webBotAuth01 } = messageProfiles;
const accepted = profiles.filter(({ id }) => id !== adcp32.id);
const routes = [
  { path: '/orders/**', permission: 'orders' },
  { path: '/agents/**', permission: 'orders', profiles: [webBotAuth01.id] },
  { path: '/pages/**', permission: 'none', mode: 'identify' },
];
const directoryKeys = makeKeyPairFor('ed25519');
let origin = '';
const directory = createServer((_request, response) => {
  const keys = [createPublicKey(directoryKeys.publicKey).export({ format: 'jwk' })];
  response.setHeader('Content-Type', 'application/jwk-set+json');
  response.end(JSON.stringify({ keys }));
});
const environment = { COUNTERSIGN_ROUTES: JSON.stringify(routes), COUNTERSIGN_DIRECTORY_ORIGINS: '' };
let scene: ReturnType<typeof apiForAll>;
let administrator: Signer;

async function manage(method: string, path: string, body?: object): Promise<Answer> {
  const text = body && JSON.stringify(body);
  const { headers } = administrator.sign({ method, url: baseUrl + path, body: text });
  const own = { 'Content-Type': 'application/json', 'If-Match': '*', ...headers };
  return scene.api.running.send({ method, url: baseUrl + path, headers: own, body: text });
}

/** Returns the entry of the request log. It is written after the answer. */
function entryOf(answer: Answer): Promise<RequestEntry> {
  const { requestId } = answer.json();
  return waitFor(
    async () => {
      const asked = await manage('GET', `/v1/requests/${String(requestId)}`);
      return asked.status === 200 ? (asked.json() as unknown as RequestEntry) : undefined;
    },
    `the entry of ${String(requestId)}`,
  );
}

/** Signs by the closed profile. */
function closed({ keys, clientId }: { readonly keys: KeyPair; readonly clientId: string }): Sent {
  const url = freshUrl();
  const signer = createSigner({ keyid: clientId, privateKey: keys.privateKey, nowMs });
  return { method: 'GET', url, lines: Object.entries(signer.sign({ method: 'GET', url }).headers) };
}

async function twice(party: Party): Promise<Sent> {
  const url = freshUrl();
  const first = await signed(party, { url, signature: { label: 'one' } });
  const second = await signed(party, { url, signature: { label: 'two' } });
  const own = second.lines.filter(([name]) => name.startsWith('Signature') && name !== 'Signature-Agent');
  return { ...first, lines: [...first.lines, ...own] };
}

let agent: Promise<Party> | undefined;

/** Adds a client whose keys are fetched from its directory. */
async function addAgent(): Promise<Party> {
  const body = {
    name: 'Agent',
    networkWhitelist: [{ entry: '0.0.0.0' }],
    roles: ['api-user'],
    profile: webBotAuth01.id,
    directoryUrl: `${origin}/keys.json`,
  };
  const added = await manage('POST', '/v1/clients', body);
  assert.equal(added.status, 201, added.text);
  await scene.api.running.service.followDirectories();
  const clientId = String(added.json()['clientId']);
  const key = signingKey(directoryKeys.privateKey);
  return { api: scene.api, clientId, profile: webBotAuth01, keys: directoryKeys, key };
}

interface Case {
  readonly what: string;
  readonly code: ProblemCode;
  readonly sent: () => Promise<Sent>;
  readonly reason: RegExp;
  /** False if the code comes before the key is proved. */
  readonly isProved?: false;
}

const cases: readonly Case[] = [
  {
    what: 'a signature by another profile than the client’s',
    code: 'signature_not_selected',
    sent: async () => signed(await addParty(scene.api, fapi2Request01, 'ed25519'), { profile: curl822 }),
    reason: /registered for the profile fapi-2-request-01, and no signature has the tag "fapi-2-request"/,
  },
  {
    what: 'a signature by the closed profile of a client that has another',
    code: 'signature_not_selected',
    sent: async () => closed(await addParty(scene.api, gnap, 'ed25519')),
    reason: /registered for the profile gnap-rfc9635, and no signature has the tag "gnap"/,
  },
  {
    what: 'two signatures with the tag of the profile',
    code: 'signature_ambiguous',
    sent: async () => twice(await addParty(scene.api, fapi2Request01, 'ed25519')),
    reason: /signatures have the tag "fapi-2-request"|both count/,
    isProved: false,
  },
  {
    what: 'an expires that has passed',
    code: 'signature_expired',
    sent: async () =>
      signedOtherwise(await addParty(scene.api, webBotAuth01), {}, ({ parameters }) => ({
        parameters: { ...parameters, created: nowSeconds - 60, expires: nowSeconds - 1 },
      })),
    reason: /expires was 1 s ago/,
  },
  {
    what: 'a Signature-Agent that names another directory',
    code: 'directory_mismatch',
    sent: async () => signed(await (agent ??= addAgent())),
    reason: /must cover a Signature-Agent that names the directory of this client's keys/,
  },
  {
    what: 'a client whose profile the service does not accept',
    code: 'profile_not_accepted',
    sent: async () => signed(await addParty(scene.api, adcp32)),
    reason: /profile adcp-3\.2, which this service does not accept/,
  },
  {
    what: 'a client whose profile the route does not accept',
    code: 'profile_not_accepted',
    sent: async () =>
      signed(await addParty(scene.api, curl822), { url: freshUrl().replace('/orders/', '/agents/') }),
    reason: /profile curl-8\.22; here, only web-bot-auth-01 is accepted/,
  },
];

describe('a code of its own', () => {
  // Before the service, whose settings name it.
  before(async () => {
    origin = await listenOn(directory);
    environment.COUNTERSIGN_DIRECTORY_ORIGINS = origin;
  });
  after(() => closeServer(directory));
  scene = apiForAll(accepted, { environment, overrides: { requestLogEveryMs: 5 } });
  before(async () => {
    const keyPair = makeKeyPairFor('ed25519');
    const added = await scene.api.running.addClient({ roles: ['administrator'], keyPair });
    administrator = createSigner({ keyid: added.clientId, privateKey: keyPair.privateKey, nowMs });
  });

  for (const { what, code, sent, reason, isProved = true } of cases)
    test(`${code}: ${what}`, async () => {
      const request = await sent();
      const receivedBefore = scene.api.received.length;
      const answer = await answerTo(scene.api, request);
      const problem = answer.json();
      assert.equal(problem['code'], code, answer.text);
      assert.equal(answer.status, problems[code].status);
      assert.match(String(problem['reason']), reason);
      assert.equal(problem['detail'], problems[code].detail);
      assert.equal('serverTime' in problem, code === 'signature_expired');
      assert.equal('accept-signature' in answer.headers, answer.status === 401);
      assert.equal(scene.api.received.length, receivedBefore, 'nothing is let in');
      // Of several signatures, none says which client the request is of.
      if (!isProved) return;
      const entry = await entryOf(answer);
      assert.deepEqual([entry.outcome, entry.status, entry.isProved], [code, answer.status, true]);
      assert.match(String(entry.reason), reason);
    });

  test('with a forged signature: signature_invalid, whatever else is wrong', async () => {
    for (const { what, sent, isProved = true } of cases) {
      if (!isProved) continue;
      const { lines, ...request } = await sent();
      const forged = lines.map(([name, value]): readonly [string, string] => {
        if (name !== 'Signature') return [name, value];
        const bytes = Buffer.from(/:(.*):/.exec(value)![1]!, 'base64');
        bytes[0]! ^= 1;
        return [name, value.replace(/:.*:/, `:${bytes.toString('base64')}:`)];
      });
      const answer = await answerTo(scene.api, { ...request, lines: forged });
      assert.equal(answer.json()['code'], 'signature_invalid', what);
    }
  });

  test('a route that identifies forwards such a request with its code', async () => {
    // Those whose profile leaves the path open, or that fail before the signature: they are signed for another path.
    const codes: readonly ProblemCode[] = ['signature_ambiguous', 'signature_expired', 'directory_mismatch'];
    for (const { code, sent } of cases.filter((one) => codes.includes(one.code))) {
      const { url, ...request } = await sent();
      const page = url.replace('/orders/', '/pages/');
      const answer = await answerTo(scene.api, { ...request, url: page });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(scene.api.received.at(-1)!.values('countersign-unproved'), [code]);
    }
  });

  test('the advice is not the closed profile’s where that does not hold', async () => {
    const party = await addParty(scene.api, curl822);
    const changed = (change: (content: Content) => Partial<Content>): Promise<Sent> =>
      signedOtherwise(party, {}, change);
    const late = { created: nowSeconds - 301 };
    const sent: Readonly<Partial<Record<ProblemCode, Sent>>> = {
      created_expired: await changed(({ parameters }) => ({ parameters: { ...parameters, ...late } })),
      parameters_invalid: await changed(({ parameters }) => ({ parameters: { ...parameters, tag: 'x' } })),
      components_invalid: await changed(() => ({ components: ['"@method"'] })),
      signature_invalid: await changed(({ parameters }) => ({ parameters: { ...parameters, keyid: 'x' } })),
    };
    for (const [code, request] of Object.entries(sent)) {
      const { detail, ...problem } = (await answerTo(scene.api, request)).json();
      assert.equal(problem['code'], code);
      assert.notEqual(detail, problems[code as ProblemCode].detail);
      assert.doesNotMatch(String(detail), /300 seconds|exactly the parameters|in that order/);
    }
    const ofClosed = await scene.api.running.addClient({ roles: [], keyPair: makeKeyPairFor('ed25519') });
    const forged = closed({ keys: makeKeyPairFor('ed25519'), clientId: ofClosed.clientId });
    const { code, detail } = (await answerTo(scene.api, forged)).json();
    assert.deepEqual([code, detail], ['signature_invalid', problems.signature_invalid.detail]);
  });
});
