import type { SignatureTest, Whoami } from '@countersign/contract';
import { readHttpDate } from '@countersign/signature/node';
import { CommandError } from '../exits.ts';
import { completeRequest } from '../sending/complete-request.ts';
import { readAnswerJson, textMember } from '../sending/json-text.ts';
import { frameHeaders, type ReceivedAnswer, sendRequest } from '../sending/send-request.ts';
import type { OpenSigner } from '../signing/key-source.ts';
import { signRequest } from '../signing/sign-outgoing.ts';
import type { Io } from '../terminal/io.ts';
import type { Checkup } from './checkup.ts';

export interface ServiceToCheck {
  /** Without a final slash. */
  readonly baseUrl: string;
  readonly signer: OpenSigner;
  /** The permissions that the client should have. */
  readonly permissions: readonly string[];
}

const timeoutSeconds = 15;
/** The service accepts 300 s behind and 60 s ahead; beyond these values the clock needs attention. */
const clockWarnSeconds = 10;
const clockSecondsMax = 60;

/** Sends an unsigned request to learn who responds, and the service's time. */
export async function checkService(checkup: Checkup, { baseUrl }: ServiceToCheck, io: Io): Promise<void> {
  const url = `${baseUrl}/v1/whoami`;
  const sentMs = io.nowMs();
  const headers = [...frameHeaders('GET', url, undefined), ['Accept', '*/*']] as [string, string][];
  const answer = await send(checkup, 'service', { method: 'GET', url, headers, body: undefined });
  const receivedMs = io.nowMs();
  const code = problemCode(answer);
  if (code === 'signature_missing') checkup.ok('service', `${baseUrl} asks for signatures`);
  else if (code === 'request_malformed')
    checkup.end(
      'service',
      'refused',
      `the service does not know itself as ${baseUrl}: ${problemText(answer)}`,
      "Use exactly the address that the operator gave you. It must be in the service's COUNTERSIGN_PUBLIC_BASE_URLS.",
    );
  else
    checkup.end(
      'service',
      'refused',
      `${url} answers ${answer.status} ${code ?? 'and is no Countersign service'}`,
      "Check the base URL: something else answers there, or a proxy in between. The service's console has /v1/whoami.",
    );
  checkClock(checkup, answer, (sentMs + receivedMs) / 2);
}

function checkClock(checkup: Checkup, { headers }: ReceivedAnswer, atMs: number): void {
  const date = headers.find(([name]) => name.toLowerCase() === 'date')?.[1] ?? '';
  const serviceSeconds = readHttpDate(date);
  if (serviceSeconds === undefined) {
    checkup.warn('clock', 'the service sent no Date', 'Something on the way takes header lines out.');
    return;
  }
  // The header has whole seconds, rounded down.
  const offSeconds = Math.round(atMs / 1000 - serviceSeconds - 0.5);
  const found =
    Math.abs(offSeconds) <= 1
      ? 'in sync with the service'
      : `${Math.abs(offSeconds)} s ${offSeconds > 0 ? 'ahead of' : 'behind'} the service`;
  const advice = 'Set the clock of this machine, best by NTP: timedatectl set-ntp true';
  if (Math.abs(offSeconds) > clockSecondsMax) checkup.fail('clock', 'refused', found, advice);
  else if (Math.abs(offSeconds) > clockWarnSeconds) checkup.warn('clock', found, advice);
  else checkup.ok('clock', found);
}

/** Asks the service to identify the caller, which runs every check of a signature. */
export async function checkSignature(checkup: Checkup, service: ServiceToCheck, io: Io): Promise<void> {
  const answer = await ask(checkup, service, { method: 'GET', path: '/v1/whoami', body: undefined }, io);
  if (answer.status !== 200) refuse(checkup, answer, service);
  const { name, keyFingerprint, sourceAddress, roles, permissions } = bodyOf(answer) as Whoami;
  checkup.ok('signature', `accepted for the client "${name}", key ${keyFingerprint}`);
  const retireAt = answer.headers.find(([header]) => header.toLowerCase() === 'client-key-retire-at')?.[1];
  if (retireAt !== undefined)
    checkup.warn(
      'key',
      `this key expires ${retireAt}: another one has replaced it`,
      'Switch to the new key here.',
    );
  checkup.ok('network', `${sourceAddress} is on the network whitelist`);
  await checkUnchanged(checkup, service, io);
  const held = permissions.length === 0 ? 'none' : permissions.join(', ');
  if (roles.length === 0)
    checkup.warn(
      'permission',
      'the client has no role',
      'Assign one in the portal; without a role it can only call /v1/whoami.',
    );
  else checkup.ok('permission', `roles ${roles.join(', ')}: ${held}`);
  for (const permission of service.permissions) {
    if ((permissions as readonly string[]).includes(permission))
      checkup.ok('permission', `${permission} is held`);
    else
      checkup.fail(
        'permission',
        'refused',
        `${permission} is not held`,
        'Assign the client a role that has it: in the portal, or with PATCH /v1/clients/{clientId} and roles.',
      );
  }
}

/** Sends the parts that proxies tend to rewrite. The service shows what it verified. */
async function checkUnchanged(checkup: Checkup, service: ServiceToCheck, io: Io): Promise<void> {
  const path = '/v1/signature-test?a=%7e&b=%20&c=%C3%A9&d=';
  const body = Buffer.from('{ "amount": 1250 }\r\n');
  const answer = await ask(checkup, service, { method: 'POST', path, body }, io);
  if (answer.status !== 200) {
    checkup.fail(
      'way',
      'refused',
      `a request with a query and a body is rejected: ${problemCode(answer) ?? answer.status}`,
      'A proxy between this machine and the service changes requests. Compare what arrives: countersign request ' +
        'POST … --explain',
    );
    return;
  }
  const { targetUri } = bodyOf(answer) as SignatureTest;
  if (targetUri === service.baseUrl + path) checkup.ok('way', 'query and body arrive as they were sent');
}

/** Advice that only the caller can follow for a rejection with this code, by the step to which it belongs. */
const refusals: Readonly<Record<string, readonly [step: string, advice: string]>> = {
  signature_invalid: [
    'signature',
    'Compare clientId and fingerprint with the portal: the clientId is unknown, or this key is not registered ' +
      'for it, has ended or was ' +
      'revoked. Else the service knows itself by another URL: http in place of https, or another port.',
  ],
  signature_replayed: ['signature', 'Another program is signing with the same key. Run the command again.'],
  profile_not_accepted: [
    'client',
    'Ask the operator of the service to accept the profile of this client, or give it another one in the portal.',
  ],
  client_disabled: ['client', 'Enable the client in the portal: someone disabled it.'],
  account_suspended: ['client', 'Ask the operator of the service why the account is suspended.'],
  network_not_allowed: ['network', 'Add this address to the network whitelist of the client, in the portal.'],
  created_expired: ['clock', 'Set the clock of this machine, best by NTP.'],
  created_in_future: ['clock', 'Set the clock of this machine, best by NTP.'],
  parameters_invalid: [
    'signature',
    'The service may require a nonce: run the command again with --nonce, and turn it on in your signer.',
  ],
};

function refuse(checkup: Checkup, answer: ReceivedAnswer, { signer }: ServiceToCheck): never {
  const code = problemCode(answer);
  const [step, advice] =
    code !== undefined && Object.hasOwn(refusals, code)
      ? refusals[code]!
      : (['signature', 'docs/errors.md says what each code means.'] as const);
  // The checks after the signature's.
  if (answer.status === 403) checkup.ok('signature', 'accepted');
  const who = `signed as ${signer.signer.keyid} with the key ${signer.fingerprint()}`;
  return checkup.end(step, 'refused', `${problemText(answer)} (${who})`, advice);
}

async function ask(
  checkup: Checkup,
  { baseUrl, signer }: ServiceToCheck,
  {
    method,
    path,
    body,
  }: { readonly method: string; readonly path: string; readonly body: Uint8Array | undefined },
  io: Io,
): Promise<ReceivedAnswer> {
  const type = body === undefined ? [] : [['Content-Type', 'application/json'] as const];
  const outgoing = { method, url: baseUrl + path, body, headers: type, bodySource: 'text' } as const;
  const signed = await signRequest(outgoing, signer, io);
  return send(checkup, 'signature', completeRequest(signed, outgoing));
}

async function send(
  checkup: Checkup,
  step: string,
  request: Parameters<typeof sendRequest>[0],
): Promise<ReceivedAnswer> {
  try {
    return await sendRequest(request, timeoutSeconds);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return checkup.end(step, 'unreachable', error.message, 'Ask whoever runs the service whether it is up.');
  }
}

/** The body of an accepted request. */
function bodyOf({ body }: ReceivedAnswer): unknown {
  const json = readAnswerJson(body);
  if (json !== undefined) return json.value;
  throw new CommandError('unreachable', 'answer_invalid', "The service's response is not JSON.");
}

function problemCode({ body }: ReceivedAnswer): string | undefined {
  return textMember(readAnswerJson(body)?.value, 'code');
}

function problemText(answer: ReceivedAnswer): string {
  const problem = readAnswerJson(answer.body)?.value;
  const texts = [textMember(problem, 'code'), textMember(problem, 'reason') ?? textMember(problem, 'title')];
  return texts.filter((one) => one !== undefined).join(': ') || `status ${answer.status}`;
}
