import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import type { MessageProfile } from '@countersign/signature/messages/node';
import { contentDigest } from '@countersign/signature/node';
import { nowSeconds } from '@countersign/testing/draft';
import {
  addParty,
  apiForAll,
  codeFor,
  type Draft,
  profiles,
  signedOtherwise,
} from '@countersign/testing/profiled-requests';

/*
 * Signatures that the client's own key made, but not by its profile.
 */

const scene = apiForAll();
const posted: Draft = { method: 'POST', body: '{"amount":1}' };
const sha512 = `sha-512=:${hash('sha512', '{"amount":1}', 'base64')}:`;

type Change = Parameters<typeof signedOtherwise>[2];

interface Case {
  readonly draft?: Draft;
  readonly change: Change;
  readonly code: string;
}

const without = (name: string): Change => {
  return ({ parameters }) => ({ parameters: { ...parameters, [name]: undefined } });
};
const at = (created: number, expires?: number): Change => {
  return ({ parameters }) => {
    const later = expires ?? (parameters.expires === undefined ? undefined : created + 300);
    return { parameters: { ...parameters, created, expires: later } };
  };
};

/** Returns the cases that exist for a profile. */
function casesOf(profile: MessageProfile): Record<string, Case> {
  const { components, parameters, time } = profile;
  const { maxAgeSeconds = 300, maxFutureSeconds = 60, maxLifeSeconds, expiresGraceSeconds = 0 } = time;
  const cases: Record<string, Case> = {
    'another tag and another label': {
      change: (content) => ({ label: 'other', parameters: { ...content.parameters, tag: 'other' } }),
      code: 'signature_not_selected',
    },
    'no created': { change: without('created'), code: 'parameters_invalid' },
    'no keyid': { change: without('keyid'), code: 'parameters_invalid' },
    'created 301 s ago': { change: at(nowSeconds - 301), code: 'created_expired' },
    'created 61 s ahead': { change: at(nowSeconds + 61), code: 'created_in_future' },
    'created before what the profile allows': {
      change: at(nowSeconds - maxAgeSeconds - 1),
      code: 'created_expired',
    },
    'created after what the profile allows': {
      change: at(nowSeconds + maxFutureSeconds + 1),
      code: 'created_in_future',
    },
    'created in 1970': { change: at(0), code: 'created_expired' },
    'no components': { change: () => ({ components: [] }), code: 'components_invalid' },
    'another keyid': {
      change: (content) => ({ parameters: { ...content.parameters, keyid: 'nobody' } }),
      code: 'signature_invalid',
    },
  };
  for (const name of ['alg', 'expires', 'nonce'] as const)
    if (parameters[name] === 'required')
      cases[`no ${name}`] = { change: without(name), code: 'parameters_invalid' };
  if (parameters.tag === 'required')
    cases['no tag'] = { change: without('tag'), code: 'signature_not_selected' };
  for (const name of ['nonce', 'tag', 'expires'] as const)
    if (parameters[name] === undefined)
      cases[`a ${name} that the profile does not have`] = {
        change: (content) => ({
          parameters: {
            ...content.parameters,
            [name]: name === 'expires' ? nowSeconds + 60 : 'x'.repeat(32),
          },
        }),
        code: 'parameters_invalid',
      };
  if (parameters.expires !== undefined) {
    cases['expired, with the grace that the profile gives'] = {
      change: at(nowSeconds - 50 - expiresGraceSeconds, nowSeconds - 1 - expiresGraceSeconds),
      code: 'signature_expired',
    };
    cases['expires before created'] = { change: at(nowSeconds, nowSeconds), code: 'parameters_invalid' };
  }
  if (maxLifeSeconds !== undefined)
    cases['a longer life than the profile allows'] = {
      change: at(nowSeconds, nowSeconds + maxLifeSeconds + 1),
      code: 'parameters_invalid',
    };
  for (const { identifier } of components.required.filter(({ when = 'always' }) => when !== 'query'))
    cases[`${[identifier].flat().join(' or ')} is not covered`] = {
      draft: posted,
      change: (content) => ({ components: content.components.filter((text) => !isAny(text, identifier)) }),
      code: 'components_invalid',
    };
  if (components.others === 'none')
    cases['more covered than the profile allows'] = {
      change: (content) => ({ components: [...content.components, '"authorization"'] }),
      code: 'components_invalid',
    };
  if (components.order === 'fixed')
    cases['another order'] = {
      change: (content) => ({ components: content.components.toReversed() }),
      code: 'components_invalid',
    };
  return { ...cases, ...digestCases(profile) };
}

function digestCases({ components, digests = [] }: MessageProfile): Record<string, Case> {
  const takes512 = digests.includes('sha-512');
  const right = contentDigest(Buffer.from(posted.body!));
  const wrong = contentDigest(Buffer.from('another body'));
  const covering = (digest: string, code: string, own = '"content-digest"'): Case => ({
    draft: posted,
    change: ({ components: covered }) => ({
      digest,
      components: covered.includes('"content-digest"') ? covered : [...covered, own],
    }),
    code,
  });
  const cases = {
    'a digest by SHA-512 alone': covering(sha512, takes512 ? 'accepted' : 'digest_missing'),
    'a digest by SHA-1': covering('sha=:AAAAAAAAAAAAAAAAAAAAAAAAAAA=:', 'digest_missing'),
    'two digests, one of them wrong': covering(`${wrong}, ${sha512}`, 'digest_mismatch'),
    'two digests, the one by SHA-512 wrong': covering(
      `${right}, sha-512=:AAAA:`,
      takes512 ? 'digest_mismatch' : 'accepted',
    ),
    'two digests by SHA-256': covering(`${wrong}, ${right}`, 'digest_malformed'),
    'a digest that is no byte sequence': covering('sha-256=abc', 'digest_malformed'),
    'an empty digest': covering('sha-256=::', 'digest_mismatch'),
  };
  if (components.required.some(({ identifier }) => identifier === 'content-digest')) return cases;
  return {
    ...cases,
    'a digest that is wrong beside the one that is covered': covering(
      `${wrong}, ${sha512}`,
      'digest_mismatch',
      '"content-digest";key="sha-512"',
    ),
    'one digest covered, but it is by another algorithm': covering(
      `${right}, sha=:AAAA:`,
      'digest_missing',
      '"content-digest";key="sha"',
    ),
  };
}

function isAny(text: string, identifier: string | readonly string[]): boolean {
  return [identifier].flat().some((name) => text.startsWith(`"${name}"`));
}

describe('signed by its own key, but not by the client’s profile', () => {
  for (const profile of profiles)
    test(`${profile.id}: rejected, each for its own reason`, async () => {
      const party = await addParty(scene.api, profile);
      const codes: Record<string, string> = {};
      const expected: Record<string, string> = {};
      const receivedBefore = scene.api.received.length;
      for (const [name, { draft = {}, change, code }] of Object.entries(casesOf(profile))) {
        codes[name] = await codeFor(scene.api, await signedOtherwise(party, draft, change));
        expected[name] = code;
      }
      assert.deepEqual(codes, expected);
      const passed = Object.values(codes).filter((code) => code === 'accepted');
      assert.equal(scene.api.received.length - receivedBefore, passed.length);
    });
});
