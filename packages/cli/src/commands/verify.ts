import { publicKeyForms } from '@countersign/signature/node';
import type { ProblemCode } from '@countersign/contract/problems';
import type { RefusalCode } from '@countersign/signature/node';
import type { DefinedProfile } from '@countersign/signature/messages';
import { profileOf } from '@countersign/signature/profile';
import type { OptionTable } from '../arguments/options.ts';
import { readTime } from '../arguments/read-arguments.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { type ExitName, usageError } from '../exits.ts';
import { readBytes } from '../files.ts';
import type { Io } from '../terminal/io.ts';
import { fieldLines } from '../terminal/layout.ts';
import { coloursFor, writeJson, writeNote } from '../terminal/report.ts';
import { messageProfileOption, readRequestProfile } from '../signing/message-profile.ts';
import { readProfileKeyFile } from '../verifying/profile-key-file.ts';
import { type PublicKeyFile, readPublicKeyFile } from '../verifying/public-key-file.ts';
import {
  profileVerificationAsJson,
  profileVerificationText,
} from '../verifying/show-profile-verification.ts';
import { verifyByProfile } from '../verifying/verify-by-profile.ts';
import { type RawVerification, verifyRawRequest } from '../verifying/verify-raw-request.ts';

const options = {
  key: {
    type: 'string',
    placeholder: 'FILE',
    help: `The public key: ${publicKeyForms}.`,
  },
  'client-id': { type: 'string', placeholder: 'ID', help: 'Accept only this keyid. Default: any.' },
  at: {
    type: 'string',
    placeholder: 'TIME',
    help: 'Arrival time: Unix seconds or RFC 3339. Default: now.',
  },
  scheme: {
    type: 'string',
    placeholder: 'SCHEME',
    help: 'http or https: how the request was sent. Default https.',
  },
  url: {
    type: 'string',
    placeholder: 'URL',
    help: 'The requested URL, if scheme, Host and target do not determine it.',
  },
  'message-profile': messageProfileOption,
  algorithm: {
    type: 'string',
    placeholder: 'ALGORITHM',
    help: 'With --message-profile: the algorithm of an RSA key, if the profile has several.',
  },
  'accept-without-date': { type: 'boolean', help: 'Accept the older form, which does not sign Date.' },
} as const satisfies OptionTable;

const notChecked =
  'Not checked: whether the client is active, its network and roles, and whether this request is a replay.';

export const verify: Command = defineCommand({
  name: 'verify',
  summary: 'Verifies a signed request, exactly as sent, against a public key.',
  arguments: [{ name: 'FILE', help: 'The HTTP/1.1 request. Default, or -: standard input.', optional: true }],
  options,
  notes: [
    'The request consists of the request line, the headers, an empty line, and the bytes of the body. Request ' +
      'and header lines may end with CRLF or LF.',
    notChecked,
  ],
  examples: [
    {
      what: 'a request recorded just now',
      line: 'countersign verify request.http --key public.pem',
    },
    {
      what: 'an older one, sent without TLS',
      line: 'countersign verify request.http --key public.pem --scheme http --at 2026-01-31T08:00:00Z',
    },
    {
      what: 'by another profile: countersign profiles lists them',
      line: 'countersign verify request.http --key public.pem --message-profile fapi-2-request-01',
    },
  ],
  execute,
});

async function execute({ values, positionals }: Invocation<typeof options>, io: Io): Promise<ExitName> {
  const { key: keyFile, scheme = 'https' } = values;
  if (keyFile === undefined) throw usageError('The public key is missing: pass --key FILE.');
  if (scheme !== 'http' && scheme !== 'https') throw usageError('--scheme must be http or https.');
  const nowSeconds = values.at === undefined ? Math.floor(io.nowMs() / 1000) : readTime(values.at);
  const name = values['message-profile'];
  const defined = name === undefined ? undefined : await readRequestProfile(name, io);
  if (defined !== undefined) {
    if (values['accept-without-date'])
      throw usageError("--accept-without-date is for the service's own profile: leave it out.");
    return verifyWithProfile({ defined, keyFile, scheme, nowSeconds }, values, positionals, io);
  }
  if (values.algorithm !== undefined) throw usageError('--algorithm needs --message-profile.');
  const key = await readPublicKeyFile(keyFile, io);
  const bytes = await readBytes(io, positionals[0] ?? '-', 'request file');
  const result = verifyRawRequest(bytes, {
    key: key.verificationKey,
    clientId: values['client-id'],
    nowSeconds,
    scheme,
    url: values.url,
    profile: profileOf({ acceptWithoutDate: values['accept-without-date'] }),
  });
  const warnings = [...(key.warning === undefined ? [] : [key.warning]), ...result.warnings];
  if (values.json) writeJson(io, { ...(await asJson(result, key)), warnings });
  else {
    for (const warning of warnings) writeNote(io, warning);
    io.output.write(await describe(result, key, io));
  }
  return result.verification.ok ? 'ok' : 'refused';
}

/** Verifies by another profile than the service's own. */
async function verifyWithProfile(
  { defined, keyFile, scheme, nowSeconds }: ProfileRun,
  values: Invocation<typeof options>['values'],
  positionals: readonly string[],
  io: Io,
): Promise<ExitName> {
  const { key, warning } = await readProfileKeyFile(keyFile, defined, values.algorithm, io);
  const bytes = await readBytes(io, positionals[0] ?? '-', 'request file');
  const settings = { defined, key, keyid: values['client-id'], nowSeconds, scheme, url: values.url };
  const verification = await verifyByProfile(bytes, settings);
  const warnings = [...(warning === undefined ? [] : [warning]), ...verification.warnings];
  if (values.json) writeJson(io, { ...profileVerificationAsJson(verification, defined), warnings });
  else {
    for (const one of warnings) writeNote(io, one);
    io.output.write(profileVerificationText(verification, defined, io));
  }
  return verification.result.ok ? 'ok' : 'refused';
}

interface ProfileRun {
  readonly defined: DefinedProfile;
  readonly keyFile: string;
  readonly scheme: 'http' | 'https';
  readonly nowSeconds: number;
}

async function asJson(
  { verification, request, targetUri, hint }: RawVerification,
  key: PublicKeyFile,
): Promise<object> {
  const seen = { method: request?.method, targetUri, bodyBytes: request?.body.length };
  if (!verification.ok) {
    const { code, reason, expected, received } = verification;
    return { ok: false, code, reason, expected, received, advice: hint ?? (await adviceFor(code)), ...seen };
  }
  const { keyid, created, clockDifferenceSeconds } = verification;
  return { ok: true, keyid, fingerprint: key.fingerprint, created, clockDifferenceSeconds, ...seen };
}

async function describe(result: RawVerification, key: PublicKeyFile, io: Io): Promise<string> {
  const { verification, request, targetUri, hint } = result;
  const { good, bad } = coloursFor(io, io.output);
  const keyText = `${key.fingerprint} (${key.kind})`;
  if (!verification.ok) {
    const { code, reason, expected, received } = verification;
    return `${bad(`Refused: ${code}`)}\n${fieldLines([
      ['reason', reason],
      ['expected', expected],
      ['received', received],
      ['method', request?.method],
      ['URL', targetUri],
      ['key', code === 'signature_invalid' ? keyText : undefined],
      ['what to do', hint ?? (await adviceFor(code))],
    ])}`;
  }
  const bodyBytes = request?.body.length ?? 0;
  return `${good('The signature is valid.')}\n${fieldLines([
    ['client', verification.keyid],
    ['key', keyText],
    ['method', request?.method],
    ['URL', targetUri],
    ['body', bodyBytes === 0 ? 'none' : `${bodyBytes} bytes, as Content-Digest says`],
    ['created', createdText(verification.created, verification.clockDifferenceSeconds)],
  ])}  ${notChecked}\n`;
}

function createdText(created: number, aheadSeconds: number): string {
  const apart =
    aheadSeconds === 0 ? '' : `, ${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead' : 'before'}`;
  return `${new Date(created * 1000).toISOString()}${apart}`;
}

/**
 * Advises on a rejection. The contract's advice is for a service's responses, so advice that mentions a
 * response is replaced. Loads the contract on demand, because most verifications do not need it.
 */
async function adviceFor(code: RefusalCode): Promise<string> {
  const own = ownAdvice.get(code);
  if (own !== undefined) return own;
  const { problems } = await import('@countersign/contract/problems');
  return problems[code satisfies ProblemCode].detail;
}

const ownAdvice: ReadonlyMap<RefusalCode, string> = new Map<RefusalCode, string>([
  [
    'request_malformed',
    'Pass one complete HTTP/1.1 request exactly as sent: request line, headers, an empty line, the body.',
  ],
  ['components_invalid', 'Cover exactly the expected components, in that order and without parameters.'],
  [
    'created_expired',
    'Sign each request just before sending it, with a correct clock. For a recorded request, pass its arrival ' +
      'time with --at.',
  ],
  [
    'created_in_future',
    "Set the signing machine's clock. For a recorded request, pass its arrival time with --at.",
  ],
  [
    'signature_invalid',
    'Check that the public key belongs to the private key that signed, that the URL above is the one that was ' +
      'called (--scheme, --url), and that nothing in between changed the method, URL or covered headers.',
  ],
]);
