import type { Hop, HopChange, HopsExplanation, NamedChange } from '@countersign/explain';
import { wrapped } from '../terminal/layout.ts';
import type { Colours } from '../terminal/report.ts';
import { visible } from '../terminal/visible.ts';
import { sidesText } from './evidence-text.ts';

/** Formats the changes of each hop, the result first. */
export function hopsText(explained: HopsExplanation, colours: Colours): string {
  const { hops, firstWrongHop } = explained;
  return [
    `${headline(explained, colours)}\n${viewLines(explained, colours)}`,
    ...hops.map((hop, index) => hopText(hop, index === firstWrongHop, explained, colours)),
  ].join('\n');
}

function headline(explained: HopsExplanation, { good, bad, strong }: Colours): string {
  const { verdict, isProven, hops, firstWrongHop, views, signedView } = explained;
  const [first, last] = [visible(views[signedView ?? 0]!.name), visible(views.at(-1)!.name)];
  if (verdict === 'unsigned') return strong('None of these requests has a signature.');
  if (verdict === 'never-valid')
    return bad(
      `No hop broke the signature: it was not valid in ${first} already. The program signed something else than it sent, as explained below.`,
    );
  if (verdict === 'intact')
    return isProven
      ? good(`Nothing that is signed changed between ${first} and ${last}: the signature is valid in both.`)
      : strong(
          `Nothing that is signed changed between ${first} and ${last}. With --key public.pem it can be proved.`,
        );
  const { from, to, changes } = hops[firstWrongHop ?? 0]!;
  const signed = changes.filter(({ isSigned }) => isSigned);
  const what =
    signed.length === 0 ? 'Something that one of them does not show.' : `${signed.map(titleOf).join('. ')}.`;
  const proof = isProven
    ? `The signature is valid in ${visible(from)}, and no longer in ${visible(to)}.`
    : 'The signature covers this, so it is no longer valid. With --key public.pem it can be proved.';
  return `${bad(`Changed between ${visible(from)} and ${visible(to)}: ${what}`)}\n${proof}`;
}

function viewLines({ views }: HopsExplanation, { good, bad, faint }: Colours): string {
  const width = Math.max(...views.map(({ name }) => visible(name).length)) + 2;
  return views
    .map(({ name, state, refusal }) => {
      const label = `  ${visible(name).padEnd(width)}`;
      if (state === 'valid') return `${label}${good('the signature is valid')}\n`;
      if (state === 'invalid') return `${label}${bad('not valid')}: ${visible(refusal?.reason ?? '')}\n`;
      return `${label}${faint(state === 'unsigned' ? 'not signed' : 'not proved: no given key fits')}\n`;
    })
    .join('');
}

function hopText(
  { from, to, changes, moreHeaders, isAfterSigning }: Hop,
  isWrong: boolean,
  { views }: HopsExplanation,
  colours: Colours,
): string {
  const { strong, faint } = colours;
  const mark = isWrong ? ' (the first wrong hop)' : isAfterSigning ? '' : ' (before it was signed)';
  const title = `${strong(`${visible(from)} → ${visible(to)}`)}${faint(mark)}\n`;
  const signed = changes.filter(({ isSigned }) => isSigned);
  const unsigned = changes.filter(({ isSigned }) => !isSigned).map(unsignedText);
  if (moreHeaders > 0) unsigned.push(`${moreHeaders} more headers`);
  const other = unsigned.length === 0 ? '' : wrapped(`Not signed: ${unsigned.join('; ')}.`, '  ');
  const none = changes.length === 0 ? `  ${faint('no change')}\n` : '';
  const nameOf = (index: number): string => views[index]?.name ?? from;
  const parts = signed.map((change) => {
    const before = change.comparedWith === undefined ? from : nameOf(change.comparedWith);
    return changeText(change, [before, to], colours);
  });
  return `${title}${none}${[...parts, ...(other === '' ? [] : [other])].join('\n')}`;
}

function changeText(change: HopChange, names: readonly [string, string], colours: Colours): string {
  const { kinds, difference } = change;
  const sides = difference
    ? sidesText(difference.evidence, [visible(names[0]), visible(names[1])], colours) +
      `   ${colours.faint(byteText(difference))}\n`
    : '';
  const advice = kinds
    .map(({ doneBy, mend }) => wrapped(`often done by: ${doneBy}`, '   ') + wrapped(`fix: ${mend}.`, '   '))
    .join('');
  return `  ${colours.bad(titleOf(change))}\n${sides}${advice}`;
}

function byteText({
  offset,
  beforeByte,
  afterByte,
  beforeBytes,
  afterBytes,
}: NonNullable<HopChange['difference']>): string {
  const hex = (byte: number | undefined): string =>
    byte === undefined ? 'the end' : `0x${byte.toString(16).padStart(2, '0')}`;
  const lengths =
    beforeBytes === afterBytes ? `${beforeBytes} bytes` : `${beforeBytes} bytes became ${afterBytes}`;
  return `byte ${offset + 1}: ${hex(beforeByte)} became ${hex(afterByte)}; ${lengths}`;
}

function titleOf({ header, kinds }: HopChange): string {
  const where = header === undefined ? '' : `${visible(header)}: `;
  return where + kinds.map(kindText).join('. ');
}

function kindText({ title, detail }: NamedChange): string {
  return detail === undefined ? title : `${title} (${visible(detail)})`;
}

function unsignedText(change: HopChange): string {
  const title = titleOf(change);
  return change.header === undefined ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}
