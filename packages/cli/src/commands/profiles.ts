import type { DefinedProfile } from '@countersign/signature/messages';
import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand, type Invocation } from '../command.ts';
import { readMessageProfile } from '../signing/message-profile.ts';
import type { Io } from '../terminal/io.ts';
import { wrapped } from '../terminal/layout.ts';
import { coloursFor, writeJson } from '../terminal/report.ts';
import { visibleLines } from '../terminal/visible.ts';

const options = {} as const satisfies OptionTable;

export const profiles: Command = defineCommand({
  name: 'profiles',
  summary: 'Lists the profiles for --message-profile, or describes one.',
  arguments: [
    {
      name: 'NAME',
      help: 'A profile of the list, or a JSON file with one, which is checked.',
      optional: true,
    },
  ],
  options,
  notes: [
    'A profile says what a signature must cover and which parameters it has. What it leaves open, anyone on the way can ' +
      'change. With --json and a NAME, the profile itself is printed, to save and change: a file is a profile too.',
  ],
  examples: [
    { what: 'who signs how', line: 'countersign profiles' },
    { what: 'all rules of one', line: 'countersign profiles fapi-2-request-01' },
    { what: 'a profile of your own', line: 'countersign profiles curl-8.22 --json > own.json' },
    { what: 'all mistakes in it, or its page', line: 'countersign profiles own.json' },
  ],
  execute,
});

async function execute({ values, positionals: [name] }: Invocation<typeof options>, io: Io): Promise<'ok'> {
  const { defineProfile, messageProfiles, profilePage } = await import('@countersign/signature/messages');
  if (name !== undefined) {
    const defined = await readMessageProfile(name, io);
    if (values.json) writeJson(io, defined.profile);
    else io.output.write(visibleLines(profilePage(defined)));
    return 'ok';
  }
  const all = Object.values(messageProfiles).map((profile) => defineProfile(profile));
  if (values.json) writeJson(io, { ok: true, profiles: all.map(summaryOf) });
  else io.output.write(all.map((defined) => entryOf(defined, io)).join('\n'));
  return 'ok';
}

function summaryOf({ profile, binds, leavesOpen }: DefinedProfile): object {
  const { id, title, source, message, notes } = profile;
  return { id, title, source, message, binds, leavesOpen, notes };
}

function entryOf({ profile, binds, leavesOpen }: DefinedProfile, io: Io): string {
  const { id, title, message, notes = [] } = profile;
  const [speakers = ''] = notes;
  const open = leavesOpen.length === 0 ? '' : `; leaves open: ${leavesOpen.join(', ')}`;
  return [
    `${coloursFor(io, io.output).strong(id)}  (${message}s)\n`,
    wrapped(`${title}.`, '  '),
    ...(speakers === '' ? [] : [wrapped(speakers, '  ')]),
    wrapped(`Binds: ${binds.join(', ')}${open}.`, '  '),
  ].join('');
}
