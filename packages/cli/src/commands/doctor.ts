import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import type { ExitName } from '../exits.ts';
import { Checkup, CheckupEnd, type StepOutcome, type StepResult } from '../doctor/checkup.ts';
import { checkKey } from '../doctor/local-steps.ts';
import { checkService, checkSignature } from '../doctor/service-steps.ts';
import { checkWay } from '../doctor/way-steps.ts';
import { baseUrlOption, findBaseUrl } from '../sending/call-api.ts';
import { credentialNote, credentialOptions, findCredentials } from '../signing/credentials.ts';
import { requestOptions } from '../signing/outgoing-request.ts';
import type { Io } from '../terminal/io.ts';
import { wrapped } from '../terminal/layout.ts';
import { coloursFor, writeJson } from '../terminal/report.ts';
import { visible } from '../terminal/visible.ts';

const options = {
  permission: {
    type: 'string',
    placeholder: 'NAME',
    multiple: true,
    help: 'A permission the client should have, such as payments:write.',
  },
  'base-url': baseUrlOption,
  ...credentialOptions,
  nonce: requestOptions.nonce,
} as const satisfies OptionTable;

export const doctor: Command = defineCommand({
  name: 'doctor',
  summary: 'Checks everything a signed request needs, step by step, and says what to fix.',
  arguments: [],
  options,
  notes: [
    "Checks the key, the client ID, the service's name and certificate, and the clocks. Then sends two signed requests that change nothing, to find out who signed, from which address, with which permissions, and whether anything in between changed the request. Exits with 0 if nothing failed.",
    credentialNote,
  ],
  examples: [
    { what: 'why is everything rejected?', line: 'countersign doctor --credentials shop.json' },
    {
      what: 'can the client create payments?',
      line: 'countersign doctor --credentials shop.json --permission payments:write',
    },
  ],
  execute,
});

/** The steps in order. Steps that an early failure prevents are listed as skipped. */
const steps = [
  'key',
  'clientId',
  'DNS',
  'connection',
  'TLS',
  'service',
  'clock',
  'signature',
  'network',
  'way',
  'permission',
];

async function execute({ values }: Invocation<typeof options>, io: Io): Promise<ExitName> {
  const credentials = await findCredentials(values, io);
  const baseUrl = findBaseUrl(values['base-url'], credentials);
  const checkup: Checkup = new Checkup((result) => {
    if (!values.json) io.output.write(resultText(result, io));
  });
  try {
    const keyOptions = { passphraseFile: values['passphrase-file'], nonce: values.nonce };
    const signer = await checkKey(checkup, credentials, keyOptions, io);
    const url = URL.parse(baseUrl);
    if (url === null || !/^https?:$/.test(url.protocol))
      checkup.end(
        'DNS',
        'usage',
        `${baseUrl} is no http or https URL`,
        "Pass the service's address with --base-url.",
      );
    await checkWay(checkup, url, io.nowMs());
    const service = { baseUrl: url.href.replace(/\/+$/, ''), signer, permissions: values.permission };
    await checkService(checkup, service, io);
    await checkSignature(checkup, service, io);
  } catch (error) {
    if (!(error instanceof CheckupEnd)) throw error;
    const seen = checkup.results.map(({ step }) => step);
    const last = Math.max(...seen.map((step) => steps.indexOf(step)));
    for (const step of steps.slice(last + 1)) if (!seen.includes(step)) checkup.skip(step);
  }
  const { results, exit } = checkup;
  if (values.json) writeJson(io, { ok: exit === 'ok', steps: results });
  else
    io.output.write(
      exit === 'ok' ? '\nNothing failed.\n' : '\nSomething failed: see above for what to do.\n',
    );
  return exit;
}

const marks: Readonly<Record<StepOutcome, string>> = {
  ok: 'ok',
  warning: 'look',
  failed: 'FAILED',
  skipped: '-',
};

function resultText({ step, outcome, found, advice }: StepResult, io: Io): string {
  const { good, bad, strong, faint } = coloursFor(io, io.output);
  const paint = { ok: good, warning: strong, failed: bad, skipped: faint }[outcome];
  const line = `${paint(marks[outcome].padEnd(7))} ${step.padEnd(11)} ${visible(found)}\n`;
  return advice === undefined ? line : line + wrapped(visible(advice), ' '.repeat(20), 120);
}
