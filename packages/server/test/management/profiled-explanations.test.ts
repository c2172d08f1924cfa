import assert from 'node:assert/strict';
import { createPublicKey, sign } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Client, ExplanationRequest, RequestEntry, RequestExplanation } from '@countersign/contract';
import { createSigner, keyObjectThumbprint } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { type KeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { type Answer, baseUrl } from '@countersign/testing/running-service';
import { waitFor } from '@countersign/testing/wait-until';
import { explanationOf } from './failed-request.ts';
import { anywhere, type Caller, managementScene, type ManagementScene } from './scene.ts';

interface Page<Entry> {
  readonly data: readonly Entry[];
}
type RequestPage = Page<RequestEntry>;
type ClientPage = Page<Client>;

/* Explanations for clients with another profile than the closed one. */

const path = '/v1/whoami';

for (const backend of backends) {
  describe(`explanations by other profiles on ${backend.name}`, { skip: backend.skip }, () => {
    let scene: ManagementScene;
    let keyPair: KeyPair;
    let clientId = '';
    before(async () => {
      scene = await managementScene(backend, {
        settings: { COUNTERSIGN_PROFILES: 'curl-8.22,web-bot-auth-01' },
      });
      keyPair = makeKeyPairFor('ed25519');
      ({ clientId } = await scene.succeed<Client>(scene.administrator, 'addClient', {
        body: {
          name: 'curl',
          networkWhitelist: anywhere,
          publicKey: keyPair.publicKey,
          profile: 'curl-8.22',
        },
      }));
    });
    after(() => scene.close());

    const now = (): number => Math.floor(scene.nowMs() / 1000);

    /** Signs by hand, as curl does, and changes the base. */
    const signed = (
      change: (base: string) => string,
      { lines = usualLines, params = '' }: { lines?: readonly string[]; params?: string } = {},
    ): Record<string, string> => {
      const names = lines.map((line) => line.slice(0, line.indexOf(':')));
      const member = `(${names.join(' ')});created=${now()};keyid="${clientId}";alg="ed25519"${params}`;
      const base = [...lines, `"@signature-params": ${member}`].join('\n');
      const signature = sign(undefined, Buffer.from(change(base)), keyPair.privateKey);
      return {
        'Signature-Input': `sig1=${member}`,
        Signature: `sig1=:${signature.toString('base64')}:`,
      };
    };
    const host = new URL(baseUrl).host;
    const usualLines = ['"@method": GET', `"@authority": ${host}`, `"@path": ${path}`];
    const send = (headers: Record<string, string>, url = path): Promise<Answer> =>
      scene.running.send({ method: 'GET', url, headers });
    const kept = async (answer: Answer): Promise<RequestExplanation> =>
      (await explanationOf(
        scene,
        scene.administrator,
        String(answer.headers['request-id']),
      )) as unknown as RequestExplanation;
    const codes = ({ findings }: RequestExplanation): string[] =>
      findings.map(({ code, certainty }) => `${code} ${certainty}`);

    test('a right request is accepted, so what follows is about the mistakes alone', async () => {
      const answer = await send(signed((base) => base));
      assert.equal(answer.status, 200, answer.text);
    });

    test('what was signed in place of the base is proved to the owner, and what to send is said', async () => {
      const answer = await send(signed((base) => `${base}\n`));
      assert.equal(answer.json()['code'], 'signature_invalid');
      assert.equal(answer.json()['explanation'], undefined);
      const explanation = await kept(answer);
      assert.deepEqual(codes(explanation), ['base_trailing_newline proven']);
      assert.equal(explanation.base, undefined);
      assert.equal(explanation.wanted?.profile, 'curl-8.22');
      assert.equal(
        explanation.wanted?.acceptSignature,
        'sig1=("@method" "@authority" "@path");created;alg="ed25519"',
      );
    });

    test('query values are not kept', async () => {
      const lines = [...usualLines, '"@query": cursor=very-secret'];
      const answer = await send(
        signed((base) => base, { lines }),
        `${path}?cursor=very-secret`,
      );
      const explanation = await kept(answer);
      assert.deepEqual(codes(explanation), ['base_query_mark proven']);
      assert.doesNotMatch(JSON.stringify(explanation), /very-secret/);
    });

    test('a request by the closed profile is named', async () => {
      const signer = createSigner({ keyid: clientId, privateKey: keyPair.privateKey, nowMs: scene.nowMs });
      const { headers } = signer.sign({ method: 'GET', url: baseUrl + path });
      const explanation = await kept(await send({ ...headers }));
      const [first] = explanation.findings;
      assert.equal(first?.code, 'profile_other', JSON.stringify(explanation));
      assert.match(first.what, /closed profile.*registered for curl-8\.22/);
    });

    test('a closed client that signs by another profile learns which', async () => {
      const { clientId: keyid } = scene.administrator;
      const headers = signed((base) => base, { params: ';tag="web-bot-auth"' });
      const renamed = { ...headers, 'Signature-Input': headers['Signature-Input']!.replace(clientId, keyid) };
      const explanation = await kept(await send(renamed));
      const found = explanation.findings.find(({ code }) => code === 'profile_other');
      assert.match(
        found?.what ?? '',
        /Web Bot Auth.*registered for countersign/,
        JSON.stringify(explanation),
      );
    });

    test('a pasted request is explained by the profile of the client that it names', async () => {
      const headers = signed((base) => base.replace('GET', 'get'));
      const body: ExplanationRequest = {
        method: 'GET',
        targetUri: baseUrl + path,
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        bodyText: '',
        receivedAt: new Date(scene.nowMs()).toISOString(),
      };
      const explanation = await scene.succeed<RequestExplanation>(scene.administrator, 'explainRequest', {
        body,
      });
      assert.deepEqual(codes(explanation), ['method_case proven']);
      assert.match(explanation.base ?? '', /^"@method": GET\n/);
      // Another account knows neither the client nor its profile.
      const stranger = await scene.addAccount();
      const told = await scene.succeed<RequestExplanation>(stranger, 'explainRequest', { body });
      assert.doesNotMatch(JSON.stringify(told), /curl-8\.22/);
      assert.equal(told.wanted, undefined);
    });

    describe('whose key is named by its thumbprint', () => {
      const agent = makeKeyPairFor('ed25519');
      const thumbprint = keyObjectThumbprint(createPublicKey(agent.publicKey));
      let agentId = '';
      const addAgent = async (by: Caller): Promise<string> => {
        const body = {
          name: 'Agent',
          networkWhitelist: anywhere,
          publicKey: agent.publicKey,
          profile: 'web-bot-auth-01',
          allowExplanations: true,
        };
        return (await scene.succeed<Client>(by, 'addClient', { body })).clientId;
      };
      before(async () => {
        agentId = await addAgent(scene.administrator);
      });

      const byAgent = (
        change: (base: string) => string,
        keyid = thumbprint,
        key = agent.privateKey,
      ): Record<string, string> => {
        const origin = '"https://agent.example.test"';
        const member =
          '("@authority" "signature-agent";key="sig2");' +
          `created=${now()};expires=${now() + 300};keyid="${keyid}";alg="ed25519";nonce="bm9uY2U=";tag="web-bot-auth"`;
        const base = [
          `"@authority": ${host}`,
          `"signature-agent";key="sig2": ${origin}`,
          `"@signature-params": ${member}`,
        ].join('\n');
        const signature = sign(undefined, Buffer.from(change(base)), key);
        return {
          'Signature-Agent': `sig2=${origin}`,
          'Signature-Input': `sig2=${member}`,
          Signature: `sig2=:${signature.toString('base64')}:`,
        };
      };
      const listed = async (by: Caller, answer: Answer): Promise<RequestEntry | undefined> => {
        // Requests are written in order: once a later one is there, this one is too, or never will be.
        const later = await send(byAgent((base) => base, by.clientId));
        const requests = await waitFor(async () => {
          const { data } = await scene.succeed<RequestPage>(by, 'listRequests', { query: 'limit=100' });
          return data.some(({ requestId }) => requestId === later.headers['request-id']) ? data : undefined;
        }, 'the later request');
        return requests.find(({ requestId }) => requestId === answer.headers['request-id']);
      };

      test('a rejected request is listed with the client as claimed, and explained there alone', async () => {
        const answer = await send(byAgent((base) => `${base}\n`));
        assert.equal(answer.json()['code'], 'signature_invalid');
        // The client lets responses explain, but only to whoever knows its ID.
        assert.equal(answer.json()['explanation'], undefined);
        const entry = await listed(scene.administrator, answer);
        assert.deepEqual([entry?.clientId, entry?.isProved], [agentId, false]);
        const explanation = await kept(answer);
        assert.deepEqual(codes(explanation), ['base_trailing_newline proven']);
        assert.equal(explanation.wanted?.profile, 'web-bot-auth-01');
        assert.match(explanation.wanted?.signatureInput ?? '', new RegExp(`keyid="${thumbprint}"`));
      });

      test('a stranger learns the same, whoever the thumbprint belongs to', async () => {
        const { publicKey, privateKey } = makeKeyPairFor('ed25519');
        const nobody = keyObjectThumbprint(createPublicKey(publicKey));
        const [known, unknown] = [
          await send(byAgent((base) => base, thumbprint, privateKey)),
          await send(byAgent((base) => base, nobody, privateKey)),
        ];
        const told = ({ status, headers, text }: Answer): unknown => {
          const { 'request-id': requestId, date: _date, ...others } = headers;
          return { status, others, text: text.replaceAll(String(requestId), 'request') };
        };
        assert.deepEqual(told(known), told(unknown));
        assert.equal((await listed(scene.administrator, known))?.clientId, agentId);
        assert.equal(await listed(scene.administrator, unknown), undefined);
      });

      test('a pasted request is explained by the profile of the client that has the key', async () => {
        const headers = byAgent((base) => `${base}\n`);
        const body: ExplanationRequest = {
          method: 'GET',
          targetUri: baseUrl + path,
          headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
          bodyText: '',
          receivedAt: new Date(scene.nowMs()).toISOString(),
        };
        const by = scene.administrator;
        const explanation = await scene.succeed<RequestExplanation>(by, 'explainRequest', { body });
        assert.deepEqual(codes(explanation), ['base_trailing_newline proven']);
      });

      test('a search for the thumbprint finds the client, and no other account', async () => {
        const found = (by: Caller): Promise<ClientPage> =>
          scene.succeed<ClientPage>(by, 'listClients', { query: `search=${thumbprint}` });
        const { data } = await found(scene.administrator);
        assert.deepEqual(
          data.map((client) => client.clientId),
          [agentId],
        );
        assert.deepEqual((await found(await scene.addAccount())).data, []);
      });

      test('a key that two accounts have names neither', async () => {
        const other = await scene.addAccount();
        const otherId = await addAgent(other);
        const answer = await send(byAgent((base) => `${base}\n`));
        assert.equal(await listed(scene.administrator, answer), undefined);
        assert.equal(await listed(other, answer), undefined);
        await scene.succeed(other, 'revokeClient', { path: { clientId: otherId } });
        const again = await send(byAgent((base) => `${base}\n`));
        assert.equal((await listed(scene.administrator, again))?.clientId, agentId);
      });
    });
  });
}
