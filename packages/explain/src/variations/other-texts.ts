import { utf8Text } from '../byte-text.ts';
import { type Alternative, alternatives } from '../drafts/alternatives.ts';
import { type BaseDraft, type OtherValues, pathText, queryText, wholeUrl } from '../drafts/base-draft.ts';

type OtherText = NonNullable<BaseDraft['otherText']>;

/** Lists what people sign who sign no signature base at all. */
export function otherTexts(
  body: Uint8Array | undefined,
  others: OtherValues,
): readonly Alternative<OtherText>[] {
  const text = body && body.length > 0 && body.length <= bodyBytesMax ? utf8Text(body) : undefined;
  const rest = (draft: BaseDraft): string => pathText(draft) + queryText(draft);
  const digest = others.get('content-digest');
  return [
    ...alternatives<OtherText>('base_other_text', [
      ['nothing', 2, () => ''],
      ['the text undefined', 2, () => 'undefined'],
      ['the text null', 2, () => 'null'],
      ['the text None', 2, () => 'None'],
      ['the text [object Object]', 2, () => '[object Object]'],
      ['the URL', 1.5, wholeUrl],
      ['path and query', 1.5, rest],
      ['method and URL', 2, (draft) => `${draft.method} ${wholeUrl(draft)}`],
      ['method and URL in two lines', 2, (draft) => `${draft.method}\n${wholeUrl(draft)}`],
      ['method, URL and date in lines', 2, (draft) => `${draft.method}\n${wholeUrl(draft)}\n${draft.date}`],
      ['method, path and date in lines', 2, (draft) => `${draft.method}\n${rest(draft)}\n${draft.date}`],
      ['method and path', 2, (draft) => `${draft.method} ${rest(draft)}`],
      ['method and path in two lines', 2, (draft) => `${draft.method}\n${rest(draft)}`],
      ['method and path without a space', 3, (draft) => draft.method + rest(draft)],
      ['the request line', 2, (draft) => `${draft.method} ${rest(draft)} HTTP/1.1`],
      ['the date', 2, ({ date }) => date],
      ['the parameters of Signature-Input', 2, ({ signatureParams }) => signatureParams],
      ['Signature-Input', 3, ({ signatureParams }) => `sig=${signatureParams}`],
    ]),
    ...(digest === undefined
      ? []
      : alternatives<OtherText>('base_other_text', [['the value of Content-Digest', 2, () => digest]])),
    ...(text === undefined
      ? []
      : alternatives<OtherText>('base_other_text', [
          ['the body', 1, () => text],
          ['method, path and body', 2, (draft) => draft.method + rest(draft) + text],
          ['method, path and body in lines', 2, (draft) => [draft.method, rest(draft), text].join('\n')],
          ['method, URL and body', 3, (draft) => draft.method + wholeUrl(draft) + text],
          ['date and body', 3, (draft) => draft.date + text],
        ])),
  ];
}

const bodyBytesMax = 16 * 1024;
