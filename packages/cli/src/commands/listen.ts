import type { WebhookEvent } from '@countersign/contract';
import { randomBytes } from 'node:crypto';
import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { usageError } from '../exits.ts';
import { readTextFile } from '../files.ts';
import { type Forwarded, forwardEvent } from '../listening/forward-event.ts';
import { pullEvents } from '../listening/pull-events.ts';
import { openManagementApi } from '../sending/call-api.ts';
import { apiOptions, eventTypesOf } from '../sending/webhook-api.ts';
import { credentialNote } from '../signing/credentials.ts';
import type { Io } from '../terminal/io.ts';
import { coloursFor, writeNote } from '../terminal/report.ts';
import { visible, visibleLines } from '../terminal/visible.ts';

const options = {
  'forward-to': {
    type: 'string',
    placeholder: 'URL',
    help: 'Where to send events, such as http://localhost:3000/hooks.',
  },
  events: {
    type: 'string',
    multiple: true,
    placeholder: 'TYPES',
    help: 'Types of events, separated by commas. Default: all. See: countersign webhooks types.',
  },
  'secret-file': {
    type: 'string',
    placeholder: 'FILE',
    help: 'Sign with the secret in this file (whsec_…). Or set COUNTERSIGN_LISTEN_SECRET. Default: a new one for each run.',
  },
  'print-body': { type: 'boolean', help: 'Show what was sent.' },
  ...apiOptions,
} as const satisfies OptionTable;

export const listen: Command = defineCommand({
  name: 'listen',
  summary: "Forwards the account's events to a program on this machine, like a webhook.",
  arguments: [],
  options,
  notes: [
    'Events are pulled, so nothing has to reach this machine. Each is sent once, signed as the service does by Standard Webhooks, with a secret of this command. The signature by RFC 9421 is missing: only the service has its key. An event whose program fails is not sent again.',
    'The client needs webhooks:write and the permission of each type. Ctrl-C ends it. With --json, each event is one line.',
    credentialNote,
  ],
  examples: [
    {
      what: 'all events, for a program on port 3000',
      line: 'countersign listen --forward-to http://localhost:3000/hooks --credentials admin.json',
    },
    {
      what: 'with the same secret every time, for some types',
      line: 'countersign listen --forward-to http://localhost:3000/hooks --secret-file hook.secret --events key.due,client.added',
    },
  ],
  execute,
});

async function execute({ values }: Invocation<typeof options>, io: Io): Promise<'ok'> {
  const url = checkedUrl(values['forward-to']);
  const secret = await findSecret(values['secret-file'], io);
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  const types = eventTypesOf(values.events);
  const api = await openManagementApi(values, io);
  const stopping = new AbortController();
  const onNote = (text: string): void => writeNote(io, text);
  let hasGreeted = false;
  const greet = (): void => {
    if (!hasGreeted) io.errors.write(`Secret: ${secret}\nForwarding events to ${url}. Ctrl-C ends it.\n`);
    hasGreeted = true;
  };
  const pulling = pullEvents({
    api,
    eventTypes: types.length === 0 ? null : types,
    pause: io.pause,
    stopped: stopping.signal,
    onNote,
    onListening: greet,
    async onEvent(event) {
      const forwarded = await forwardEvent(event, { url, secret: key, nowMs: io.nowMs() });
      show(event, forwarded, values, io);
    },
  });
  const stopped = io.untilStopped().then(() => stopping.abort());
  await Promise.race([pulling, stopped]);
  await pulling;
  return 'ok';
}

const prefix = 'whsec_';

async function findSecret(file: string | undefined, io: Io): Promise<string> {
  const given =
    file === undefined
      ? io.environment['COUNTERSIGN_LISTEN_SECRET'] || undefined
      : (await readTextFile(io, file, 'secret file')).trim();
  if (given === undefined) return prefix + randomBytes(32).toString('base64');
  // 24 to 64 bytes, as Standard Webhooks says.
  if (/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/.test(given)) return given;
  throw usageError('The secret must be whsec_ and Base64 of 24 to 64 bytes.');
}

function checkedUrl(text: string | undefined): string {
  if (text === undefined) throw usageError('The program is missing: pass --forward-to URL.');
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !isHttp || url.username !== '' || url.password !== '' || url.hash !== '')
    throw usageError('--forward-to must be an http or https URL, such as http://localhost:3000/hooks.');
  return url.href;
}

function show(
  event: WebhookEvent,
  { status, durationMs, problem, body }: Forwarded,
  values: { readonly json: boolean; readonly 'print-body': boolean },
  io: Io,
): void {
  const took = Math.round(durationMs);
  if (values.json) {
    const line = { id: event.id, type: event.type, status: status ?? null, durationMs: took, problem };
    const shown = { ...line, ...(values['print-body'] && { body: event }) };
    io.output.write(`${visible(JSON.stringify(shown))}\n`);
    return;
  }
  const { good, bad } = coloursFor(io, io.output);
  const isDelivered = status !== undefined && status >= 200 && status < 300;
  const result = (isDelivered ? good : bad)(status === undefined ? 'failed' : String(status));
  const why = problem === undefined ? '' : `  ${visible(problem)}`;
  io.output.write(`${visible(event.type)}  ${visible(event.id)}  ${result}  ${took} ms${why}\n`);
  if (values['print-body'])
    io.output.write(`${visibleLines(JSON.stringify(JSON.parse(body.toString('utf8')), undefined, 2))}\n`);
}
