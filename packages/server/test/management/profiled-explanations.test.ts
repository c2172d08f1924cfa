import assert from 'node:assert/strict';
import { sign } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { ExplanationRequest, RequestExplanation } from '@countersign/contract';
import { createSigner } from '@countersign/signature/node';
import { backends } from '@countersign/testing/backends';
import { type KeyPair, makeKeyPairFor } from '@countersign/testing/key-pair';
import { type Answer, baseUrl } from '@countersign/testing/running-service';
import { explanationOf } from './failed-request.ts';
import { anywhere, type Client, managementScene, type ManagementScene } from './scene.ts';

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
  });
}
