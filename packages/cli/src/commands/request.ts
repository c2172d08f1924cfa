import type { SignedRequest } from '@countersign/signature/node';
import { chmod, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { type ExitName, usageError } from '../exits.ts';
import { fileError } from '../files.ts';
import { explainSent, signatureRefusalOf } from '../explaining/explain-sent.ts';
import { explanationAsJson, explanationText } from '../explaining/show-explanation.ts';
import { chooseConnection, connectionOptions } from '../sending/chosen-connection.ts';
import { completeRequest } from '../sending/complete-request.ts';
import { savedRequest } from '../sending/saved-request.ts';
import { type RequestToSend, sendRequest } from '../sending/send-request.ts';
import { printParts, readParts, timingText } from '../sending/print-parts.ts';
import { answerAsJson, headersAsJson, showAnswer, showOutcome } from '../sending/show-answer.ts';
import { credentialNote, credentialOptions } from '../signing/credentials.ts';
import { requestArguments, requestOptions } from '../signing/outgoing-request.ts';
import { profileNote, profileOptions } from '../signing/message-profile.ts';
import { itemNote } from '../signing/request-items.ts';
import { signOutgoing } from '../signing/sign-outgoing.ts';
import type { Io } from '../terminal/io.ts';
import { signatureBaseText } from '../terminal/layout.ts';
import { coloursFor, writeJson, writeNote } from '../terminal/report.ts';
import { visible } from '../terminal/visible.ts';

const options = {
  ...requestOptions,
  ...credentialOptions,
  ...profileOptions,
  timeout: {
    type: 'string',
    placeholder: 'SECONDS',
    help: 'How long to wait for the complete response. Default 30.',
  },
  explain: {
    type: 'boolean',
    help: 'If the signature is rejected, explain why, locally, from what was sent.',
  },
  print: {
    type: 'string',
    short: 'p',
    placeholder: 'PARTS',
    help:
      'What to print on standard output: S signature base, H and B headers and body of the request, h and b those ' +
      'of the response, m times. Default b.',
  },
  output: {
    type: 'string',
    short: 'o',
    placeholder: 'FILE',
    help: 'Write the response body to this file.',
  },
  save: {
    type: 'string',
    placeholder: 'FILE',
    help:
      'Write the request as it is sent to this file, for explain --sent. Only this user can read it; passwords in ' +
      'headers such as Authorization are left out.',
  },
  ...connectionOptions,
  timing: { type: 'boolean', help: 'Show how long each step took.' },
  verbose: { type: 'boolean', short: 'v', help: 'Show what was signed and all headers sent and received.' },
} as const satisfies OptionTable;

export const request: Command = defineCommand({
  name: 'request',
  summary: 'Signs and sends a request, and shows the response.',
  arguments: requestArguments,
  options,
  notes: [
    'The response body goes to standard output, everything else to standard error. A JSON body is sent as ' +
      'application/json unless -H says otherwise. Redirects are not followed.',
    itemNote,
    credentialNote,
    profileNote,
  ],
  examples: [
    { what: 'who am I?', line: 'countersign request GET /v1/whoami' },
    {
      what: 'create a payment and show what was signed',
      line: `countersign request POST /v1/payments -d '{"amount":1250,"currency":"EUR","reference":"INV-7"}' -v`,
    },
    {
      what: 'with a key of your own',
      line: 'countersign request GET https://api.example.com/v1/payments --client-id client_… --key private.pem',
    },
    { what: 'rejected? explain it', line: 'countersign request GET /v1/whoami --explain' },
    {
      what: 'the body from its members',
      line: 'countersign request POST /v1/payments amount:=1250 currency=EUR reference=INV-7',
    },
    {
      what: 'everything that went over the wire',
      line: 'countersign request GET /v1/payments limit==5 -p SHhbm',
    },
    {
      what: 'keep what was sent, to find out what changed on the way: countersign explain received.http --sent sent.http',
      line: 'countersign request GET /v1/whoami --save sent.http',
    },
    {
      what: 'one node behind the load balancer, with a certificate of your own authority',
      line: 'countersign request GET https://api.example.com/v1/whoami --resolve api.example.com:443:203.0.113.7 --cacert authority.pem',
    },
    {
      what: 'by another profile: countersign profiles lists them',
      line: `countersign request POST https://wallet.example/ -d '{}' --message-profile open-payments-1.4 --client-id kid-1 --key private.pem`,
    },
    { what: 'the body from a file', line: 'countersign request POST /v1/payments -d @payment.json' },
  ],
  execute,
});

async function execute({ values, positionals }: Invocation<typeof options>, io: Io): Promise<ExitName> {
  const timeoutSeconds = checkedTimeout(values.timeout ?? '30');
  const parts = values.print === undefined ? undefined : readParts(values.print);
  if (values.json && (parts || values.output !== undefined))
    throw usageError('--json prints everything as one object: leave out --print and --output.');
  const { credentials, outgoing, signer, signed } = await signOutgoing(positionals, values, io);
  const toSend = completeRequest(signed, outgoing);
  const connection = await chooseConnection(values, toSend.url, io);
  if (values.save !== undefined) await saveRequest(toSend, values.save, io);
  if (values.verbose && !values.json) showRequest(signed, toSend, io);

  const answer = await sendRequest(toSend, timeoutSeconds, connection);
  const refusedWith = await signatureRefusalOf(answer);
  const explained =
    values.explain && refusedWith !== undefined
      ? explainSent(
          {
            sent: toSend,
            answer,
            refusedWith,
            clientId: credentials.clientId,
            publicKeyPem: signer.publicKeyPem(),
          },
          io,
        )
      : undefined;
  if (values.json) {
    writeJson(io, {
      ...answerAsJson(answer),
      ...(explained && { explanation: explanationAsJson(explained) }),
      ...(values.verbose && { request: requestAsJson(signed, toSend) }),
      ...(values.timing && { timing: { ...answer.timing, allMs: answer.durationMs } }),
    });
  } else {
    if (values.verbose) showHead('<', `HTTP/1.1 ${answer.status} ${answer.statusText}`, answer.headers, io);
    const answered = { signed, fingerprint: signer.fingerprint };
    if (values.output !== undefined) await saveBody(answer.body, values.output, io);
    if (parts) {
      showOutcome(answer, answered, io);
      printParts(parts, { signatureBase: signed.signatureBase, sent: toSend, answer }, io);
    } else if (values.output !== undefined) showOutcome(answer, answered, io);
    else showAnswer(answer, answered, io);
    if (values.timing) io.errors.write(timingText(answer));
    if (explained) io.errors.write(`\n${explanationText(explained, coloursFor(io, io.errors))}`);
    else if (refusedWith !== undefined)
      writeNote(io, 'the same command with --explain says what is wrong, from what it sends');
  }
  return answer.status < 400 ? 'ok' : 'refused';
}

async function saveRequest(toSend: RequestToSend, file: string, io: Io): Promise<void> {
  const path = resolve(io.folder, file);
  try {
    await writeFile(path, savedRequest(toSend), { mode: 0o600 });
    // An existing file would otherwise keep its mode.
    await chmod(path, 0o600);
  } catch (error) {
    throw fileError(error, file, 'saved request');
  }
}

async function saveBody(body: Buffer, file: string, io: Io): Promise<void> {
  try {
    await writeFile(resolve(io.folder, file), body);
  } catch (error) {
    throw fileError(error, file, 'output file');
  }
}

function checkedTimeout(text: string): number {
  const seconds = /^\d{1,5}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= 86_400) return seconds;
  throw usageError('--timeout must be a number of seconds above 0 and at most 86400.');
}

function showRequest(signed: SignedRequest, { method, url, headers }: RequestToSend, io: Io): void {
  io.errors.write(
    `${signatureBaseText('Signature base', signed.signatureBase, coloursFor(io, io.errors))}\n`,
  );
  showHead('>', `${method} ${url.slice(new URL(url).origin.length)} HTTP/1.1`, headers, io);
}

function showHead(
  mark: string,
  startLine: string,
  headers: readonly (readonly [string, string])[],
  io: Io,
): void {
  const { faint } = coloursFor(io, io.errors);
  const lines = [startLine, ...headers.map(([name, value]) => `${name}: ${value}`)];
  io.errors.write(`${lines.map((line) => `${faint(mark)} ${visible(line)}\n`).join('')}\n`);
}

function requestAsJson(
  signed: SignedRequest,
  { method, url, headers }: RequestToSend,
): Record<string, unknown> {
  return {
    method,
    url,
    headers: headersAsJson(headers),
    created: signed.created,
    signatureBase: signed.signatureBase,
  };
}
