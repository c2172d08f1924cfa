import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { usageError } from '../exits.ts';
import { headersAsJson } from '../sending/show-answer.ts';
import { credentialNote, credentialOptions } from '../signing/credentials.ts';
import { curlLine } from '../signing/curl-line.ts';
import { requestArguments, requestOptions } from '../signing/outgoing-request.ts';
import { profileNote, profileOptions } from '../signing/message-profile.ts';
import { itemNote } from '../signing/request-items.ts';
import { signatureLines, signOutgoing } from '../signing/sign-outgoing.ts';
import type { Io } from '../terminal/io.ts';
import { writeJson } from '../terminal/report.ts';

const options = {
  ...requestOptions,
  ...credentialOptions,
  ...profileOptions,
  curl: {
    type: 'boolean',
    help: 'Print a curl command that sends the signed request, for a POSIX shell.',
  },
} as const satisfies OptionTable;

export const sign: Command = defineCommand({
  name: 'sign',
  summary: 'Signs a request and prints its signature headers, without sending anything.',
  arguments: requestArguments,
  options,
  notes: [
    "A signature by the service's own profile is valid for five minutes, once, for exactly this method, URL and body.",
    itemNote,
    credentialNote,
    profileNote,
  ],
  examples: [
    { what: 'the headers to add', line: 'countersign sign GET https://api.example.com/v1/whoami' },
    {
      what: 'by another profile, for a bank',
      line: "countersign sign GET https://bank.example/accounts --message-profile fapi-2-request-01 --client-id kid-1 --key private.pem -H 'Authorization: Bearer …'",
    },
    {
      what: 'as an agent, by Web Bot Auth',
      line: 'countersign sign GET https://shop.example/ --signature-agent https://agent.example/keys.json --key agent.pem',
    },
    {
      what: 'sign here, send with curl',
      line: `eval "$(countersign sign POST /v1/payments -d @payment.json --curl)"`,
    },
  ],
  execute,
});

async function execute({ values, positionals }: Invocation<typeof options>, io: Io): Promise<'ok'> {
  if (values.curl && values.json)
    throw usageError('--curl and --json are different formats of the same output: use only one.');
  const { outgoing, signed } = await signOutgoing(positionals, values, io);
  if (values.json) {
    const { method, url, created, signatureBase } = signed;
    const headers = headersAsJson([...outgoing.headers, ...signatureLines(signed)]);
    writeJson(io, { ok: true, method, url, created, headers, signatureBase });
  } else if (values.curl) {
    io.output.write(curlLine(signed, outgoing));
  } else {
    io.output.write(
      signatureLines(signed)
        .map(([name, value]) => `${name}: ${value}\n`)
        .join(''),
    );
  }
  return 'ok';
}
