import type { Case } from '../case.ts';
import { judgeEcho } from '../cell.ts';
import { urlForms } from '../url-forms.ts';

/** A signer rejects a URL that its client would change, and the service one that an API could read in two ways. */
const codes = ['request_invalid', 'request_malformed', 'path_ambiguous'];

export const urls: readonly Case[] = urlForms.map(({ name, url, targets }) => ({
  name: `URL: ${name}`,
  program: 'one',
  async run({ scene, sendAndSee }) {
    const written = url(scene);
    if (written === undefined)
      return { kind: 'impossible', reason: 'This machine or this user cannot listen there.' };
    const { answer, arrivals } = await sendAndSee({ method: 'GET', url: written });
    return judgeEcho(answer, arrivals, { method: 'GET', targets, codes });
  },
}));
