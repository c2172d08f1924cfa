import {
  type RequestNote,
  type RequestTextAdvice,
  RequestTextError,
} from '@countersign/explain/request-text';
import { CommandError, usageError } from '../command-error.ts';

/** How each piece of advice is followed on the command line. */
const adviceTexts: Readonly<Record<RequestTextAdvice, string>> = {
  'give-body': 'Give it with --body-file FILE.',
  'give-body-instead': 'Save the body, and give it with --body-file FILE in place of that option.',
  'give-verbose-output': 'Run it with -v, and give that output with --body-file FILE.',
  'give-base-url': 'Give the URL of the service: --base-url https://api.example.com',
  'choose-entry': 'Give one with --entry NUMBER, or a part of its URL:',
  'give-fields': 'Or use --method, --url and --header.',
};

/** A note about a request, with the option that helps. */
export function noteText({ text, advice }: RequestNote): string {
  return advice === undefined ? text : `${text} ${adviceTexts[advice]}`;
}

/** Does what may find a request unreadable; such an error becomes one of the command, with the option that helps. */
export async function readOrAdvise<Value>(read: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof RequestTextError)) throw error;
    const { message, advice, choices, code } = error;
    const lines = [noteText({ text: message, ...(advice !== undefined && { advice }) })];
    const text = [...lines, ...choices.map((choice) => `  ${choice}`)].join('\n');
    throw code === 'unreadable' ? new CommandError('local', 'request_unreadable', text) : usageError(text);
  }
}
