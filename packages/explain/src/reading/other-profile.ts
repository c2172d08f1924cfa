import { type MeantSignatureInput, parameterValue } from './lenient-signature-input.ts';

/** The tags of profiles that other services accept (docs/message-profiles.md), and what they are called. */
const tags: Readonly<Record<string, string>> = {
  'web-bot-auth': 'Web Bot Auth',
  'agent-browser-auth': "Visa's Trusted Agent Protocol",
  'agent-payer-auth': "Visa's Trusted Agent Protocol",
  'fapi-2-request': 'FAPI 2.0 HTTP Signatures',
  gnap: 'GNAP',
  'adcp/request-signing/v1': 'the Ad Context Protocol',
};

/** Returns the name of the profile that a signature follows, if it is a well-known one and not this service's. */
export function otherProfile(input: MeantSignatureInput): string | undefined {
  const { label, components, componentParameters, parameters } = input;
  const tag = parameterValue(input, 'tag');
  if (tag === 'web-bot-auth') {
    const agent = components.indexOf('signature-agent');
    const isCurrent = agent >= 0 && componentParameters[agent]?.startsWith(';key=') === true;
    return isCurrent ? tags[tag] : 'Web Bot Auth, as an older draft has it';
  }
  if (tag !== undefined) return Object.hasOwn(tags, tag) ? tags[tag] : undefined;
  if (components.includes('ucp-agent')) return 'the Universal Commerce Protocol';
  const names = parameters.map(({ name }) => name).join(' ');
  const [method, authority, path] = components;
  if (
    label === 'sig1' &&
    names === 'created keyid alg' &&
    method === '@method' &&
    authority === '@authority' &&
    path === '@path'
  )
    return "curl's --httpsig options";
  const keyid = parameterValue(input, 'keyid') ?? '';
  return /^https?:\/\//.test(keyid) ? 'Mastodon and other ActivityPub servers' : undefined;
}
