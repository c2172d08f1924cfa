import { usageError } from '../exits.ts';

/** Reads `KEY=VALUE` texts of the command line. The value may contain `=`, and may be empty. */
export function metadataOf(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1) throw usageError(`Write metadata as KEY=VALUE, such as owner=Ada: ${text}`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
