/** Two texts with the same meaning: the hashed one and the sent one. */
export interface TwoTexts {
  readonly hashed: string;
  readonly sent: string;
}

/** Says which characters of a JSON text were escaped differently, such as `\\u00e9 in place of é`. */
export function differingEscapes(texts: TwoTexts): string | undefined {
  return differing(texts, formsOfJson);
}

/** Says which characters of a form were encoded differently, such as `%5C in place of %5c`. */
export function differingEncoding(texts: TwoTexts): string | undefined {
  return differing(texts, formsOfForm);
}

/** Says which numbers were written differently, such as `1250.0 in place of 1250`. */
export function differingNumbers(texts: TwoTexts): string | undefined {
  return differing(texts, (text) => {
    const numbers = text.match(/(?<![\w.+"-])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w."])/g) ?? [];
    return new Map([...Map.groupBy(numbers, Number)].map(([value, raws]) => [String(value), new Set(raws)]));
  });
}

/** The outermost keys in the order hashed, if that is not the order sent. */
export function differingOrder({ hashed, sent }: TwoTexts): string | undefined {
  const [order, other] = [hashed, sent].map(outermostKeys);
  if (!order || !other || order.join('\0') === other.join('\0')) return undefined;
  return order.slice(0, keysMax).join(', ') + (order.length > keysMax ? ', …' : '');
}

const keysMax = 6;

function outermostKeys(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    // A program moves numeric keys to the front.
    const keys = isObject ? Object.keys(value) : [];
    return keys.length > 1 && !keys.some((key) => /^\d+$/.test(key)) ? keys : undefined;
  } catch {
    return undefined;
  }
}

/** The ways in which each character or number is written in a text. */
type Forms = ReadonlyMap<string, ReadonlySet<string>>;

const examplesMax = 3;

function differing({ hashed, sent }: TwoTexts, formsOf: (text: string) => Forms): string | undefined {
  const inSent = formsOf(sent);
  const examples: string[] = [];
  for (const [meaning, forms] of formsOf(hashed)) {
    const others = inSent.get(meaning);
    const other = [...(others ?? [])].find((one) => !forms.has(one));
    // One text may also use a single form where the other uses both.
    const form = [...forms].find((one) => others?.has(one) === false) ?? [...forms][0];
    if (form === undefined || other === undefined) continue;
    if (examples.length === examplesMax) return `${examples.join(', ')} and so on`;
    examples.push(`${shown(form)} in place of ${shown(other)}`);
  }
  return examples.length === 0 ? undefined : examples.join(', ');
}

const jsonCharacter =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|[\ud800-\udbff][\udc00-\udfff]|\\u[\da-fA-F]{4}|\\.|[^\\]/gs;

function formsOfJson(text: string): Forms {
  return formsBy(text.match(jsonCharacter) ?? [], (form) => {
    if (!form.startsWith('\\')) return form;
    try {
      return JSON.parse(`"${form}"`) as string;
    } catch {
      return form;
    }
  });
}

function formsOfForm(text: string): Forms {
  return formsBy(text.match(/%[\da-fA-F]{2}|[^%]/g) ?? [], (form) =>
    form === '+' ? ' ' : form.length === 3 ? String.fromCharCode(Number.parseInt(form.slice(1), 16)) : form,
  );
}

function formsBy(written: readonly string[], meaningOf: (form: string) => string): Forms {
  const forms = new Map<string, Set<string>>();
  for (const form of written) {
    const meaning = meaningOf(form);
    const known = forms.get(meaning);
    if (known) known.add(form);
    else forms.set(meaning, new Set([form]));
  }
  return forms;
}

/** Names an invisible character. */
function shown(form: string): string {
  if (form === ' ') return 'a space';
  return form.replace(
    /[\p{C}\p{Z}]/gu,
    (character) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`,
  );
}
