import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { messageProfiles } from '@countersign/signature/messages/node';
import { createSigner } from '@countersign/signature/node';
import { nowMs } from '@countersign/testing/draft';
import {
  addParty,
  answerTo,
  apiForAll,
  codeOf,
  freshUrl,
  otherApiUrl,
  type Party,
  type Sent,
  signed,
  withLine,
} from '@countersign/testing/profiled-requests';
import { type Answer, apiBaseUrl, baseUrl, publishedKeyPair } from '@countersign/testing/running-service';
import { exchange } from '@countersign/testing/wire';
import { handOvers } from '../authorizers/hand-overs.ts';

/*
 * One base URL accepts agents of the web and curl, the other one the closed profile, and the service's own API neither agents nor
 * old clients. All are on one port.
 */

const { curl822, gnap, webBotAuth01 } = messageProfiles;
const agentsUrl = otherApiUrl;
const scene = apiForAll([curl822, gnap, webBotAuth01], {
  environment: {
    COUNTERSIGN_BASE_URL_PROFILES: `${agentsUrl}=web-bot-auth-01,curl-8.22; ${apiBaseUrl}=countersign; ${baseUrl}=countersign, curl-8.22`,
    COUNTERSIGN_ROUTES: JSON.stringify([
      { path: '/curl/**', permission: 'none', profiles: [curl822.id] },
      { path: '/seen/**', permission: 'none', mode: 'identify' },
      { path: '/**', permission: 'none' },
    ]),
    COUNTERSIGN_AUTHORIZERS: JSON.stringify({ caddy: { from: ['127.0.0.1'] } }),
  },
});

function at(base: string, path = new URL(freshUrl()).pathname): string {
  return `${base}${path}?state=open`;
}

function closed(url: string, { signer } = scene.api): Sent {
  return { method: 'GET', url, lines: Object.entries(signer.sign({ method: 'GET', url }).headers) };
}

/** Sends a request with the Host of its URL: the two base URLs of the API have one port. */
function answerAt(sent: Sent): Promise<Answer> {
  if (!sent.url.startsWith(agentsUrl)) return answerTo(scene.api, sent);
  const lines = [['Host', new URL(agentsUrl).host] as const, ...sent.lines];
  return answerTo(scene.api, { ...sent, lines, url: apiBaseUrl + sent.url.slice(agentsUrl.length) });
}

async function codeAt(sent: Sent): Promise<string> {
  return codeOf(await answerAt(sent));
}

async function partyOf(profile: Party['profile']): Promise<Party> {
  return addParty(scene.api, profile, 'ed25519', { roles: ['payments-operator'] });
}

/** What a rejection tells; the same for all strangers, except the ID of the request. */
function told({ status, headers, text }: Answer): unknown {
  const { requestId: _id, ...problem } = JSON.parse(text) as Record<string, unknown>;
  return { status, problem, accept: headers['accept-signature'], challenge: headers['www-authenticate'] };
}

describe('a base URL with its own profiles', () => {
  test('rejects a proved client of any other profile, and says what it accepts', async () => {
    const [agent, curl, bank] = [await partyOf(webBotAuth01), await partyOf(curl822), await partyOf(gnap)];
    const refused: readonly (readonly [Sent, RegExp])[] = [
      [closed(at(agentsUrl)), /profile countersign; here, only web-bot-auth-01 or curl-8\.22 is accepted/],
      [await signed(bank, { url: at(agentsUrl) }), /only web-bot-auth-01 or curl-8\.22 is accepted/],
      [await signed(agent, { url: at(apiBaseUrl) }), /profile web-bot-auth-01; here, only countersign is/],
      [await signed(curl, { url: at(apiBaseUrl) }), /here, only countersign is accepted/],
      [await signed(agent, { url: at(agentsUrl, '/curl/1') }), /here, only curl-8\.22 is accepted/],
      // No profile of the route is one of its base URL's.
      [await signed(curl, { url: at(apiBaseUrl, '/curl/1') }), /here, none is accepted/],
      [closed(at(apiBaseUrl, '/curl/1')), /here, none is accepted/],
      [await signed(agent, { url: at(baseUrl, '/v1/whoami') }), /only countersign or curl-8\.22 is accepted/],
      // Which path exists is for accepted clients to learn.
      [
        await signed(agent, { url: at(baseUrl, '/v1/nothing') }),
        /only countersign or curl-8\.22 is accepted/,
      ],
    ];
    for (const [sent, reason] of refused) {
      const answer = await answerAt(sent);
      assert.equal(codeOf(answer), 'profile_not_accepted', sent.url);
      assert.equal(answer.status, 403);
      assert.match(String(answer.json()['reason']), reason);
    }
    assert.deepEqual(scene.api.received, []);
  });

  test('accepts its own, and a route those of them that it names', async () => {
    const [agent, curl] = [await partyOf(webBotAuth01), await partyOf(curl822)];
    const accepted = [
      await signed(agent, { url: at(agentsUrl) }),
      await signed(curl, { url: at(agentsUrl) }),
      await signed(curl, { url: at(agentsUrl, '/curl/2') }),
      closed(at(apiBaseUrl)),
    ];
    for (const sent of accepted) assert.equal(await codeAt(sent), 'accepted', sent.url);
    const whole = await signed(curl, { url: `${baseUrl}/v1/whoami` });
    assert.equal(await codeAt(whole), 'accepted');
    const old = await scene.api.running.addClient({
      roles: ['api-user'],
      acceptWithoutDate: true,
      keyPair: publishedKeyPair('rsa-2048-a'),
    });
    assert.equal(await codeAt(closed(at(apiBaseUrl), old as never)), 'profile_not_accepted');
  });

  test('matters for a client whose request its own profile would reject, too', async () => {
    const bank = await partyOf(gnap);
    const sent = await signed(bank, { url: at(agentsUrl), profile: curl822 });
    assert.equal(await codeAt(sent), 'profile_not_accepted');
    const { signer } = scene.api;
    const withoutDate = withLine(closed(at(agentsUrl), { ...scene.api, signer }), 'Date', () => undefined);
    assert.notEqual(await codeAt(withoutDate), 'accepted');
  });

  test('a route that identifies tells the API that the client is none of its profiles', async () => {
    const before = scene.api.received.length;
    assert.equal(await codeAt(closed(at(agentsUrl, '/seen/1'))), 'accepted');
    const received = scene.api.received[before]!;
    assert.deepEqual(received.values('countersign-unproved'), ['profile_not_accepted']);
    assert.deepEqual(received.values('countersign-client-id'), []);
  });

  test('an authorizer asks for the same', async () => {
    const port = Number(new URL(scene.api.running.service.authorizerAddress!).port);
    const ask = async ({ method, url, lines }: Sent): Promise<string> => {
      const { host, pathname, search } = new URL(url);
      const original = { method, target: pathname + search, host, address: '198.51.100.7', headers: lines };
      const handedOver = handOvers['caddy']!({ ...original, body: undefined });
      return (await exchange(port, handedOver, { localAddress: '127.0.0.1' })).verdict;
    };
    assert.equal(await ask(closed(at(agentsUrl))), 'profile_not_accepted');
    assert.equal(await ask(closed(at(apiBaseUrl))), 'ok');
  });
});

describe('strangers', () => {
  test('are asked for the first profile of a base URL without the closed one, on every path', async () => {
    const paths = ['/orders/1', '/curl/1', '/%2e%2e/x', '/v1/nothing'];
    const answers = await Promise.all(
      paths.map((path) => answerAt({ method: 'GET', url: at(agentsUrl, path), lines: [] })),
    );
    for (const answer of answers) {
      assert.equal(codeOf(answer), 'signature_missing');
      assert.deepEqual(told(answer), told(answers[0]!));
    }
    const accept = String(answers[0]!.headers['accept-signature']);
    assert.match(accept, /"@authority".*;tag="web-bot-auth"/);
    assert.doesNotMatch(accept, /"date"/);
    assert.match(String(answers[0]!.json()['detail']), /^Send Signature-Input and Signature, with a member/);
  });

  test('are asked for the closed one where that is accepted', async () => {
    for (const base of [apiBaseUrl, baseUrl]) {
      const answer = await answerAt({ method: 'GET', url: at(base, '/v1/whoami'), lines: [] });
      assert.match(String(answer.headers['accept-signature']), /^sig=\("@method" "@target-uri" "date"\)/);
    }
  });

  test('learn nothing about a client, whatever its profile, from what is rejected before the proof', async () => {
    const known = [await partyOf(webBotAuth01), await partyOf(gnap)];
    const parties: readonly Party[] = [
      ...known,
      { ...known[0]!, clientId: 'nobody' },
      { ...known[0]!, clientId: hash('sha256', 'nobody', 'base64url') },
    ];
    for (const base of [agentsUrl, apiBaseUrl, baseUrl]) {
      const forms = [
        (party: Party): Promise<Sent> => signed(party, { url: at(base, '/v1/x'), profile: webBotAuth01 }),
        (party: Party): Promise<Sent> => signed(party, { url: at(base, '/v1/x'), profile: curl822 }),
        (party: Party): Promise<Sent> =>
          signed(party, { url: at(base, '/v1/x'), profile: gnap, signature: { label: 'sig' } }),
        async ({ clientId, keys }: Party): Promise<Sent> => {
          const signer = createSigner({ keyid: clientId, privateKey: keys.privateKey, nowMs });
          return closed(at(base, '/v1/x'), { ...scene.api, signer });
        },
      ];
      for (const form of forms) {
        const answers = [];
        for (const party of parties) {
          const wrong = withLine(await form(party), 'Signature', (text) =>
            text.replace(/:.{8}/, ':AAAAAAAA'),
          );
          answers.push(told(await answerAt(wrong)));
        }
        for (const answer of answers) assert.deepEqual(answer, answers[0]);
        assert.equal((answers[0] as { problem: { code: string } }).problem.code, 'signature_invalid');
      }
    }
  });
});
