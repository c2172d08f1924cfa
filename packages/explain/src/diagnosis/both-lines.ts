import { printFields, writeLine } from '../drafts/base-draft.ts';
import type { Note } from '../findings/finding.ts';
import type { Sides } from './both-sides.ts';
import { differingParts } from './differing-parts.ts';

/** Shows the signed line and the service's line, for notes about how lines are written and ordered. */
export function bothLines(
  { code, detail }: Pick<Note, 'code' | 'detail'>,
  { subject, signed, arrived: expected, others }: Sides,
): string | undefined {
  if (code === 'base_component_order') {
    const [was, is] = [signed, expected].map(({ structure }) =>
      structure.lines.filter((line, index) => line !== paramsLine || index === 0).join(', '),
    );
    return `${subject} the lines in the order ${was}, but Signature-Input lists ${is}.`;
  }
  if (!formCodes.test(code) || signed.structure.isCavage) return undefined;
  const { writeName, separator, lineStart, lineText, rewrite = (text: string) => text } = signed;
  const asSigned = { ...expected, writeName, separator, lineStart, lineText };
  for (const [index, line] of expected.structure.lines.entries()) {
    const was = rewrite(writeLine(asSigned, others, line, index, false));
    const is = writeLine(expected, others, line, index, false);
    if (was === is) continue;
    const [shownSigned, shownExpected] = differingParts(was, is, '');
    const note = detail === undefined ? '' : ` (${detail})`;
    return `${subject} the line \`${shownSigned}\`${note}, but the service expects \`${shownExpected}\`.`;
  }
  return undefined;
}

const formCodes = /^base_(?:colon_space|unquoted_names|name_case|value_case|value_trimmed)$/;
const paramsLine = '@signature-params';

/** Returns the received value that differs from the signed one; undefined unless exactly one value is concerned. */
export function arrivedValue({ signed, arrived, others }: Sides): string | undefined {
  const printed = arrived.structure.lines.filter((line) => {
    const field = printFields[line];
    return field !== undefined && line !== paramsLine && signed[field] !== undefined;
  });
  const [line] = printed;
  if (line === undefined || printed.length > 1) return undefined;
  const value = writeLine(arrived, others, line, 0, false).slice(`"${line}": `.length);
  const [shown] = differingParts(value, '', '');
  return shown;
}
