import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { usageError } from '../exits.ts';
import { openKeySource } from '../signing/key-source.ts';
import { followSigner } from '../proxy/followed-signer.ts';
import { hostsOf, listenAt, readPlace } from '../proxy/listen.ts';
import { type MetricsServer, serveMetrics } from '../proxy/metrics-server.ts';
import { replacedHeaders } from '../proxy/local-request.ts';
import { createProxy } from '../proxy/proxy-server.ts';
import { readTarget } from '../proxy/proxy-target.ts';
import { fileLog, noLog, outputLog } from '../proxy/request-log.ts';
import { folderTrace, noTrace } from '../proxy/request-trace.ts';
import {
  credentialNote,
  credentialOptions,
  findCredentials,
  findPassphrase,
} from '../signing/credentials.ts';
import { chooseProfile, profileNote, profileOptions } from '../signing/message-profile.ts';
import { requestOptions } from '../signing/outgoing-request.ts';
import type { Io } from '../terminal/io.ts';
import { writeNote } from '../terminal/report.ts';
import { visible } from '../terminal/visible.ts';

const options = {
  target: {
    type: 'string',
    placeholder: 'URL',
    help: "The API to forward to. Default: the credentials' baseUrl.",
  },
  listen: {
    type: 'string',
    placeholder: 'PLACE',
    help: 'Where callers connect: a port, 127.0.0.1:PORT, [::1]:PORT or unix:FILE. Default 127.0.0.1:8420.',
  },
  'allow-host': {
    type: 'string',
    placeholder: 'NAME',
    multiple: true,
    help: 'Another Host value that callers use for this proxy, such as proxy:8420.',
  },
  'body-bytes-max': {
    type: 'string',
    placeholder: 'BYTES',
    help: 'The largest body to buffer for its digest. Default 10485760.',
  },
  'shared-folder': {
    type: 'string',
    placeholder: 'FOLDER',
    help: 'Where proxies and programs with the same key record used seconds, so that they never sign the same.',
  },
  timeout: {
    type: 'string',
    placeholder: 'SECONDS',
    help: "How long to wait for the target's response to begin. Default 120.",
  },
  'problem-type-base': {
    type: 'string',
    placeholder: 'URL',
    help: "The page of the service's error codes, if its operator has moved it. Default: any URL that ends with /docs/errors.",
  },
  metrics: {
    type: 'string',
    placeholder: 'PLACE',
    help: 'Serve Prometheus metrics at /metrics on this address, in the format of --listen.',
  },
  log: {
    type: 'string',
    placeholder: 'FILE',
    help: 'Append one JSON line per request to this file. Default: standard output.',
  },
  quiet: { type: 'boolean', help: 'Do not log requests.' },
  trace: {
    type: 'string',
    placeholder: 'FOLDER',
    help:
      'Write the last 100 requests as they were sent to this folder, for explain --sent: with URLs, signatures and ' +
      'bodies up to 1 MiB; without passwords in headers such as Authorization and Cookie. Only this user can read them.',
  },
  ...credentialOptions,
  ...profileOptions,
  nonce: requestOptions.nonce,
} as const satisfies OptionTable;

export const proxy: Command = defineCommand({
  name: 'proxy',
  summary: 'Runs a local proxy that signs every request and forwards it to one API.',
  arguments: [],
  options,
  notes: [
    "For software that can't sign: call the proxy's address instead of the API's. Method, path, headers and body arrive as sent, plus the signature; callers' own signature headers are replaced. Responses are streamed.",
    'Anyone who can reach the proxy can act as the client. It listens only on this machine, and rejects requests ' +
      'from web pages. With unix:FILE, only the user who runs it can connect.',
    'On SIGINT or SIGTERM, it finishes running requests and exits. It follows changes to the key file.',
    credentialNote,
    profileNote,
  ],
  examples: [
    {
      what: 'then: curl http://127.0.0.1:8420/v1/whoami',
      line: 'countersign proxy --target https://api.example.com --client-id client_… --key private.pem',
    },
    {
      what: 'for this user only: curl --unix-socket sign.sock http://localhost/v1/whoami',
      line: 'countersign proxy --credentials shop.json --listen unix:sign.sock --metrics 9420',
    },
    {
      what: 'a crawler that signs as an agent, by Web Bot Auth',
      line: 'countersign proxy --target https://shop.example --signature-agent https://agent.example/keys.json --key agent.pem',
    },
    {
      what: 'keep what is sent, to find out which hop changes it: countersign explain received.http --sent sent/….http',
      line: 'countersign proxy --credentials shop.json --trace sent',
    },
  ],
  execute,
});

/** How long running requests may take after a signal. */
const graceMs = 10_000;

async function execute({ values }: Invocation<typeof options>, io: Io): Promise<'ok'> {
  const place = readPlace(values.listen ?? '127.0.0.1:8420', '--listen', io);
  const metricsPlace = values.metrics === undefined ? undefined : readPlace(values.metrics, '--metrics', io);
  const bodyBytesMax = numberOf(values['body-bytes-max'] ?? '10485760', '--body-bytes-max', 1024 ** 3);
  const timeoutMs = numberOf(values.timeout ?? '120', '--timeout', 86_400) * 1000;
  if (values.quiet && values.log !== undefined) throw usageError('--quiet logs nothing: leave out --log.');
  const profile = await chooseProfile(values, io);
  const credentials = await findCredentials(values, io, profile?.kind === 'agent');
  const target = readTarget(values.target ?? credentials.baseUrl);
  const source = await openKeySource(credentials, await findPassphrase(values['passphrase-file'], io), io);
  const warn = (text: string): void => writeNote(io, text);
  const followed = await followSigner(
    { ...credentials, source, nonce: values.nonce, sharedFolder: values['shared-folder'], profile },
    warn,
    io,
  );
  const log = values.quiet
    ? noLog
    : values.log === undefined
      ? outputLog(io)
      : await fileLog(values.log, warn, io);
  const trace = values.trace === undefined ? noTrace : await folderTrace(values.trace, warn, io);
  const ownHosts = new Set(values['allow-host'].map((name) => name.toLowerCase()));
  const policy = { target, ownHosts, replaced: replacedHeaders(followed.profileHeaders) };
  const signing = createProxy({
    policy,
    followed,
    bodyBytesMax,
    timeoutMs,
    problemTypeBase: values['problem-type-base'],
    log: log.write,
    trace: trace.write,
    warn,
    nowMs: io.nowMs,
  });
  // Installed before it listens, so that a signal at that moment also ends it cleanly.
  const stopped = io.untilStopped();
  let metrics: MetricsServer | undefined;
  try {
    const address = await listenAt(signing.server, place);
    for (const host of hostsOf(place, address)) ownHosts.add(host);
    if (metricsPlace !== undefined) {
      metrics = await serveMetrics(metricsPlace, signing.metricsText);
      io.errors.write(`Metrics are at ${visible(metrics.address)}/metrics.\n`);
    }
    io.errors.write(
      `Signing as ${visible(profile?.kind === 'agent' ? profile.signatureAgent : credentials.clientId)} (${followed.fingerprint}).\n` +
        `Send requests to ${visible(address)}; they go to ${visible(target.origin + target.basePath)}.\n`,
    );
    await stopped;
  } finally {
    metrics?.close();
    await signing.close(graceMs);
    await trace.end();
    await log.end();
  }
  return 'ok';
}

function numberOf(text: string, option: string, max: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (number > 0 && number <= max) return number;
  throw usageError(`${option} must be a whole number from 1 to ${max}.`);
}
