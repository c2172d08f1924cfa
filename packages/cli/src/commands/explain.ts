import { isChangedOnTheWay } from '@countersign/explain';
import {
  declaredKeyid,
  type PastedRequest,
  readBaseUrls,
  targetUriOf,
} from '@countersign/explain/request-text';
import type { Judge } from '@countersign/explain/profiles';
import type { DefinedProfile } from '@countersign/signature/messages';
import { profileOf } from '@countersign/signature/profile';
import type { OptionTable } from '../arguments/options.ts';
import { readTime } from '../arguments/read-arguments.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { type ExitName, usageError } from '../exits.ts';
import { readGivenKeys } from '../explaining/candidate-keys.ts';
import { explainGiven, type ExplainSettings } from '../explaining/explain-given.ts';
import { hopsText } from '../explaining/hops-text.ts';
import { noteText, readOrAdvise, readPastedRequest } from '../explaining/read-request.ts';
import { calledBaseUrls, explainSentHops, readSentViews } from '../explaining/sent-views.ts';
import { type ExplainedRequest, explanationAsJson, explanationText } from '../explaining/show-explanation.ts';
import { readTextFile } from '../files.ts';
import { messageProfileOption, readRequestProfile } from '../signing/message-profile.ts';
import type { Io } from '../terminal/io.ts';
import { coloursFor, writeJson, writeNote } from '../terminal/report.ts';

const options = {
  key: {
    type: 'string',
    multiple: true,
    placeholder: 'FILE',
    help:
      'A public key that may have signed, in any format that verify accepts. CLIENT_ID=FILE for the key of that ' +
      'client; without, it counts as the key of the client that the request names.',
  },
  clock: {
    type: 'string',
    placeholder: 'TIME',
    help:
      "The service's clock when the request arrived: Unix seconds or RFC 3339. Default: the time that HAR or the " +
      'output of curl -v tells, or else now.',
  },
  'base-url': {
    type: 'string',
    multiple: true,
    placeholder: 'URL',
    help: "The service's URL, if Host or the requested URL differs, or is not https.",
  },
  base: {
    type: 'string',
    placeholder: 'FILE',
    help: 'The signature base your application built, to compare.',
  },
  sent: {
    type: 'string',
    multiple: true,
    placeholder: 'FILE',
    help:
      'The request as it was sent, in any format of FILE: says what changed on the way, and where. Repeat it for ' +
      'several hops, in their order: as the program sent it, as a proxy saw it.',
  },
  entry: {
    type: 'string',
    placeholder: 'ENTRY',
    help: 'Which request of a HAR archive: its number, or part of its URL. Default: the signed one.',
  },
  method: { type: 'string', placeholder: 'METHOD', help: 'Instead of FILE: the method.' },
  url: { type: 'string', placeholder: 'URL', help: 'Instead of FILE: the full requested URL.' },
  header: {
    type: 'string',
    short: 'H',
    multiple: true,
    placeholder: "'NAME: VALUE'",
    help: 'Instead of FILE: a header as it was sent.',
  },
  'body-file': {
    type: 'string',
    placeholder: 'FILE',
    help: "The body's bytes, if the request does not include them.",
  },
  'message-profile': messageProfileOption,
  'accept-without-date': { type: 'boolean', help: 'Accept the older form, which does not sign Date.' },
} as const satisfies OptionTable;

export const explain: Command = defineCommand({
  name: 'explain',
  summary:
    'Explains why a signed request is rejected: names the mistakes and proves them with the public key.',
  arguments: [
    {
      name: 'FILE',
      help: 'The request: HTTP, a command line of curl, the output of curl -v, or HAR. Default, or -: standard input.',
      optional: true,
    },
  ],
  options,
  notes: [
    'With the public key, a signature reveals the hash of what was signed. A mistake is proven if the text with ' +
      'that mistake has exactly this hash; observed if it is visible in the request; likely if it could be ' +
      'something else. Without --key, only visible mistakes are reported.',
    'Nothing leaves this machine: nothing is sent, and a curl command is parsed, not run. Private keys are not ' +
      'needed, and are rejected.',
    'The exit code is 0 only if the request passes every check. Not checked: whether the client is active, its ' +
      'network and roles, and whether this request is a replay.',
  ],
  examples: [
    { what: 'a rejected request', line: 'countersign explain request.http --key public.pem' },
    { what: 'a pasted curl command, ended with Ctrl-D', line: 'countersign explain --key public.pem' },
    {
      what: 'a request of an archive that a browser saved, as of its time',
      line: 'countersign explain network.har --entry /v1/payments --key public.pem',
    },
    {
      what: 'a request that arrived some time ago',
      line: 'countersign explain request.http --key public.pem --clock 2026-01-31T08:00:00Z',
    },
    {
      what: 'which of two keys signed, and what my program built',
      line: 'countersign explain request.http --key client_1=shop.pem --key client_2=office.pem --base built.txt',
    },
    {
      what: 'a request by another profile: countersign profiles lists them',
      line: 'countersign explain request.http --key public.pem --message-profile web-bot-auth-01',
    },
    {
      what: 'what changed between my program and the service',
      line: 'countersign explain received.http --sent sent.http --key public.pem',
    },
    {
      what: 'which of two hops changed it',
      line: 'countersign explain received.http --sent network.har --sent proxy.http --key public.pem',
    },
  ],
  execute,
});

async function execute({ values, positionals }: Invocation<typeof options>, io: Io): Promise<ExitName> {
  const defined = await otherProfileOf(values, io);
  const givenBaseUrls = await readOrAdvise(() => readBaseUrls(values['base-url']));
  const clockSeconds = values.clock === undefined ? undefined : readTime(values.clock);
  const isEntryShared = values.sent.length > 0;
  const received = await readPastedRequest({ ...values, file: positionals[0], isEntryShared }, io);
  const sent = await readSentViews(values.sent, values.entry, io);
  const baseUrls = givenBaseUrls.length > 0 ? givenBaseUrls : calledBaseUrls(sent);
  const declaring = [received, ...sent].find((one) => declaredKeyid(one) !== undefined) ?? received;
  // Of several signatures, the profile says which one names the client.
  const keys = await readGivenKeys(values.key, defined === undefined ? declaring : undefined, io);
  const { nowSeconds, clockSource } = clockOf(clockSeconds, received, io);
  const profile = profileOf({ acceptWithoutDate: values['accept-without-date'] });
  const judge = defined && (await judgeOf(defined));
  const hops =
    sent.length === 0
      ? undefined
      : await explainSentHops(sent, received, {
          candidates: keys.candidates,
          nowSeconds,
          baseUrls,
          profile,
          judge,
        });
  // If it was wrong from the start, only the program's own mistakes are worth explaining.
  const request = hops?.verdict === 'never-valid' ? (sent[hops.signedView ?? 0] ?? received) : received;
  const claimedBase =
    values.base === undefined ? undefined : await readTextFile(io, values.base, 'signature base');
  const { targetUri, internalHost, note } = await readOrAdvise(() => targetUriOf(request, baseUrls));
  const explained = explainGiven(request, {
    targetUri,
    candidates: keys.candidates,
    nowSeconds,
    clockSource,
    claimedBase,
    options: {
      baseUrls,
      ...(internalHost !== undefined && { internalHosts: [internalHost] }),
      profile,
      judge,
    },
  });
  const advice = [...explained.advice, ...adviceFor(explained, clockSource)];
  const notes = [
    ...request.notes,
    ...sent.flatMap((one) => (one === request ? [] : one.notes)),
    ...(note === undefined ? [] : [note]),
  ];
  const warnings = [...keys.warnings, ...notes.map(noteText)];
  if (values.json) {
    const isValid = explained.conclusion.verdict === 'valid';
    writeJson(io, { ok: isValid, ...explanationAsJson({ ...explained, advice }), hops, warnings });
  } else {
    for (const warning of warnings) writeNote(io, warning);
    const colours = coloursFor(io, io.output);
    if (hops !== undefined) io.output.write(`${hopsText(hops, colours)}\n`);
    // Otherwise this would report the mistakes of whatever changed it.
    if (hops === undefined || !isChangedOnTheWay(hops))
      io.output.write(explanationText({ ...explained, advice }, colours));
  }
  return explained.conclusion.verdict === 'valid' ? 'ok' : 'refused';
}

/** Reads another profile than the service's own. */
async function otherProfileOf(
  values: Invocation<typeof options>['values'],
  io: Io,
): Promise<DefinedProfile | undefined> {
  const name = values['message-profile'];
  const defined = name === undefined ? undefined : await readRequestProfile(name, io);
  if (defined === undefined) return undefined;
  if (values['accept-without-date'])
    throw usageError("--accept-without-date is for the service's own profile: leave it out.");
  return defined;
}

async function judgeOf({ profile }: DefinedProfile): Promise<Judge> {
  const { defineProfile, judgeBy } = await import('@countersign/explain/profiles');
  return judgeBy(defineProfile(profile));
}

/** The time at which a request is judged: an old one would only be too old today. */
function clockOf(
  givenSeconds: number | undefined,
  { recordedSeconds }: PastedRequest,
  io: Io,
): Pick<ExplainSettings, 'nowSeconds' | 'clockSource'> {
  if (givenSeconds !== undefined) return { nowSeconds: givenSeconds, clockSource: '--clock' };
  return recordedSeconds === undefined
    ? { nowSeconds: Math.floor(io.nowMs() / 1000), clockSource: 'now' }
    : { nowSeconds: recordedSeconds, clockSource: 'as recorded' };
}

/** Suggests how to get a better explanation. */
function adviceFor(
  { conclusion, hasKey }: ExplainedRequest,
  clockSource: ExplainSettings['clockSource'],
): string[] {
  const isLate = conclusion.findings.some(({ code }) => code === 'clock_off' || code === 'clock_time_zone');
  const isKeyUnknown = conclusion.findings.some(({ code }) => code === 'key_unknown');
  return [
    ...(hasKey && isKeyUnknown
      ? ['Here, "registered" means passed with --key. To try several keys, repeat --key.']
      : []),
    ...(isLate && clockSource === 'now'
      ? ['The clock is set to now. For an older request, pass its arrival time: --clock TIME']
      : []),
    ...(hasKey
      ? []
      : ['Only what can be seen was looked at. With --key public.pem it can be proved what was signed.']),
  ];
}
