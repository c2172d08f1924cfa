import type { MessageProfile } from '../message-profile.ts';

/** Agents and crawlers, as the current draft has it. */
export const webBotAuth01: MessageProfile = {
  id: 'web-bot-auth-01',
  title: 'HTTP Message Signatures for automated traffic, revision 01 of 29 October 2026',
  source: 'https://datatracker.ietf.org/doc/draft-ietf-webbotauth-httpsig-protocol/01/',
  notes: [
    'Signed by crawlers and agents. A signature says who sends, not what: until it expires, everyone who sees it can send other requests to the same host with it, unless the agent covers more or sends a nonce. Read `covered`.',
    'The member of `Signature-Agent` that is covered is the URL of a JWK Set; the caller fetches it, and looks keys up by that URL and the `keyid` together. The draft recommends a life of at most 24 hours; this profile requires it.',
  ],
  message: 'request',
  select: { tag: 'web-bot-auth' },
  components: {
    required: [
      { identifier: ['@authority', '@target-uri'] },
      { identifier: 'signature-agent', anyKey: true },
    ],
    others: 'any',
  },
  parameters: {
    created: 'required',
    expires: 'required',
    keyid: 'required',
    alg: 'allowed',
    nonce: 'allowed',
    tag: 'required',
  },
  algorithms: ['ed25519', 'ecdsa-p256-sha256', 'rsa-pss-sha512'],
  time: { maxFutureSeconds: 60, maxLifeSeconds: 86_400 },
  replay: 'nonce if sent',
  digests: ['sha-256', 'sha-512'],
};

/** Agents of the drafts of 2025: `Signature-Agent` may be one string, or be left out. */
export const webBotAuth2025: MessageProfile = {
  ...webBotAuth01,
  id: 'web-bot-auth-2025',
  title: 'Web Bot Auth as the drafts of 2025 had it',
  source: 'https://datatracker.ietf.org/doc/draft-meunier-web-bot-auth-architecture/',
  notes: [
    'Signed by agents that follow an older draft: `Signature-Agent` is one string with an origin, whose directory is at a well-known path, and is signed only if it is sent.',
  ],
  components: {
    required: [
      { identifier: ['@authority', '@target-uri'] },
      { identifier: 'signature-agent', when: 'present' },
    ],
    others: 'any',
  },
};
