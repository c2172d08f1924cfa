import { utf8Text } from '../byte-text.ts';
import { type Alternative, alternative } from '../drafts/alternatives.ts';
import {
  type BaseDraft,
  type OtherText,
  type OtherValues,
  pathText,
  queryText,
  wholeUrl,
} from '../drafts/base-draft.ts';

/** Lists texts that people sign instead of a signature base. `hashedText` is the body as the caller hashed it. */
export function otherTexts(
  body: Uint8Array | undefined,
  hashedText: string | undefined,
  others: OtherValues,
): readonly Alternative<OtherText>[] {
  const received = body && body.length > 0 && body.length <= bodyBytesMax ? utf8Text(body) : undefined;
  const bodies = new Set([hashedText, received].filter((text) => text !== undefined && text !== ''));
  const digest = others.get('content-digest');
  return [
    ...rows('', [
      ['an empty text', 2, () => ''],
      ['the text "undefined"', 2, () => 'undefined'],
      ['the text "null"', 3, () => 'null'],
      ['the text "None"', 3, () => 'None'],
      ['the text "[object Object]"', 2.5, () => '[object Object]'],
    ]),
    ...rows('scheme authority path query fragment', [['the URL', 1.5, wholeUrl]]),
    ...rows('path query', [['path and query', 1.5, rest]]),
    ...rows('method scheme authority path query', [
      ['method and URL', 2, (draft) => `${draft.method} ${wholeUrl(draft)}`],
      ['method and URL in two lines', 2, (draft) => `${draft.method}\n${wholeUrl(draft)}`],
    ]),
    ...rows('method scheme authority path query date', [
      ['method, URL and date in lines', 2, (draft) => `${draft.method}\n${wholeUrl(draft)}\n${draft.date}`],
    ]),
    ...rows('method path query date', [
      ['method, path and date in lines', 2.5, (draft) => `${draft.method}\n${rest(draft)}\n${draft.date}`],
    ]),
    ...rows('method path query', [
      ['method and path', 2, (draft) => `${draft.method} ${rest(draft)}`],
      ['method and path in two lines', 2.5, (draft) => `${draft.method}\n${rest(draft)}`],
      ['method and path without a space', 2, (draft) => draft.method + rest(draft)],
      ['the request line', 2, (draft) => `${draft.method} ${rest(draft)} HTTP/1.1`],
    ]),
    ...rows('date', [['the date', 2, ({ date }) => date]]),
    ...rows('signatureParams', [
      ['the parameters of Signature-Input', 2.5, ({ signatureParams }) => signatureParams],
      ['Signature-Input', 3, ({ signatureParams }) => `sig=${signatureParams}`],
    ]),
    ...(digest === undefined ? [] : rows('', [['the value of Content-Digest', 2.5, () => digest]])),
    ...[...bodies].flatMap((text) => withBody(text!)),
  ];
}

/** Lists the texts that contain the body. */
function withBody(text: string): readonly Alternative<OtherText>[] {
  return [
    ...rows('', [['the body', 1.5, () => text]], true),
    ...rows(
      'method path query',
      [
        ['method, path and body', 2, (draft) => draft.method + rest(draft) + text],
        ['method, path and body in lines', 2.5, (draft) => [draft.method, rest(draft), text].join('\n')],
      ],
      true,
    ),
    ...rows(
      'method scheme authority path query',
      [['method, URL and body', 3, (draft) => draft.method + wholeUrl(draft) + text]],
      true,
    ),
    ...rows('date', [['date and body', 3, (draft) => draft.date + text]], true),
  ];
}

const rest = (draft: BaseDraft): string => pathText(draft) + queryText(draft);

type Row = readonly [detail: string, cost: number, write: OtherText['write']];

/** Texts that show the same parts. */
function rows(shown: string, texts: readonly Row[], holdsBody = false): readonly Alternative<OtherText>[] {
  const shows = shown.split(' ') as OtherText['shows'][number][];
  return texts.map(([detail, cost, write]) =>
    alternative('base_other_text', detail, cost, { write, shows, holdsBody }),
  );
}

const bodyBytesMax = 16 * 1024;
