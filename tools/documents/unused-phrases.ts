/** Words and phrases that must not occur in texts for people. */
export interface UnusedPhrase {
  /** Matched as whole words. Case does not matter, and a space matches line breaks too. */
  readonly phrase: string;
  readonly say: string;
  /** Prefixes of the paths to which it applies. Everywhere by default. */
  readonly onlyIn?: readonly string[];
  /** Prefixes of the paths where it is allowed nevertheless. */
  readonly allowedIn?: readonly string[];
}

const portal = ['packages/portal/src/messages/'];

export const unusedPhrases: readonly UnusedPhrase[] = [
  // One noun per thing.
  { phrase: 'clientId', say: 'client ID', onlyIn: portal },
  { phrase: 'program that calls', say: 'application that calls the API' },
  { phrase: 'programs that call', say: 'applications that call the API' },
  { phrase: 'ready program', say: 'example' },
  { phrase: 'ready programs', say: 'examples' },
  { phrase: 'roles to user', say: 'roles' },
  { phrase: 'programs of an earlier kind', say: 'older clients' },
  { phrase: 'mails', say: 'emails', onlyIn: portal },

  // Three verbs for the end of a key: retire, expire, revoke.
  { phrase: 'end key', say: 'retire key, or revoke key' },
  { phrase: 'key ends', say: 'key expires' },
  { phrase: 'keys end', say: 'keys expire' },
  { phrase: 'key has ended', say: 'key has expired, or was revoked' },
  { phrase: 'keys that have ended', say: 'expired and revoked keys' },
  { phrase: 'ended key', say: 'expired key, or revoked key' },
  { phrase: 'stop verifying', say: 'expire' },
  { phrase: 'age alone', say: 'expire by age' },
  { phrase: 'give more time', say: 'extend', onlyIn: portal },

  // Common words.
  { phrase: 'refuse', say: 'reject', onlyIn: portal },
  { phrase: 'refused', say: 'rejected', onlyIn: portal },
  { phrase: 'refuses', say: 'rejects', onlyIn: portal },
  { phrase: 'refusal', say: 'rejection', onlyIn: portal },
  { phrase: 'refusals', say: 'rejections', onlyIn: portal },
  { phrase: 'somebody', say: 'someone' },
  { phrase: 'anybody', say: 'anyone' },
  { phrase: 'everybody', say: 'everyone' },
  // The explainer's name for it, which a table of its sentences needs.
  { phrase: 'mend', say: 'fix', allowedIn: ['packages/portal/src/messages/de/findings.ts'] },
  { phrase: 'mends', say: 'fixes' },
  { phrase: 'mended', say: 'fixed' },
  { phrase: 'anew', say: 'again' },
  { phrase: 'lately', say: 'recently' },
  { phrase: 'heed', say: 'honor' },
  { phrase: 'by itself', say: 'automatically', onlyIn: portal },
  { phrase: 'by themselves', say: 'automatically' },
  { phrase: 'tick themselves', say: 'complete automatically' },
  { phrase: 'ticks itself', say: 'completes automatically' },
  { phrase: 'for want of', say: 'for lack of' },
  { phrase: 'goes on', say: 'continues' },
  { phrase: 'go on', say: 'continue' },
  { phrase: 'likewise', say: 'also' },

  // Short forms that everyone uses.
  { phrase: 'may stay empty', say: 'optional' },
  { phrase: 'stands for everyone', say: 'allows any address' },
  { phrase: 'two things are left', say: 'next steps' },
  { phrase: 'is no secret', say: 'is not secret' },
  { phrase: 'is not there', say: 'is missing, or not found' },
  { phrase: 'are not there', say: 'are missing, or not found' },
  { phrase: 'of this name', say: 'with this name, or: no matches' },
  { phrase: 'of that name', say: 'with that name, or: no matches' },
  { phrase: 'the true reason', say: 'the actual cause' },
  { phrase: 'what fails', say: 'failures by cause' },
  { phrase: 'look at the last', say: 'view latest' },
  { phrase: 'show these', say: 'filter' },
  { phrase: 'right to the second', say: 'in sync' },
  { phrase: 'bytes more', say: 'extra bytes' },
  { phrase: 'given apart', say: 'entered separately' },
  { phrase: 'that shall be', say: 'to be' },
  { phrase: 'look into your mail', say: 'check your email' },
  { phrase: 'make the invitation', say: 'create invitation' },
  { phrase: 'took back the invitation', say: 'canceled the invitation' },
  { phrase: 'no limit of this account', say: 'no account limit' },
  { phrase: 'begin to act', say: 'start session' },
  { phrase: 'began to act', say: 'started acting' },
  { phrase: 'requests are decided', say: 'accepting requests' },
  { phrase: 'while you look', say: 'waiting' },
  { phrase: 'so many hours', say: 'this many hours' },
  { phrase: 'so many days', say: 'this many days' },

  // Sentences that sound translated.
  { phrase: 'stands in the', say: 'is in the, or is recorded in the' },
  { phrase: 'stands in its', say: 'is recorded in its' },
  { phrase: 'that stands in', say: 'that is in' },
  { phrase: 'is another than', say: 'differs from' },
  { phrase: 'no request that can be read', say: 'not a readable request' },
  { phrase: 'is content with', say: 'accepts' },
  { phrase: 'let anybody in', say: 'grant themselves access' },
  { phrase: 'of before', say: 'previous' },
  { phrase: 'of then', say: 'of that time' },
  { phrase: 'as is usual', say: 'as usual' },
  { phrase: 'in the wrong hands', say: 'compromised' },

  // Found often in documents, descriptions and findings.
  { phrase: 'rollover', say: 'rotation' },
  { phrase: 'for ever', say: 'permanently' },
  { phrase: 'unless set', say: 'by default, or: Default:' },
  { phrase: 'in the place of', say: 'instead of' },
  { phrase: 'upper and lower case', say: 'case' },
  { phrase: 'in another layout', say: 'with different white space' },
  { phrase: 'let pass', say: 'let through' },
  { phrase: 'of an own', say: "of the account's own" },
  { phrase: 'the clock of the service', say: "the service's clock" },
  { phrase: 'whose it is', say: 'who it belongs to' },

  // Sentences that a first reader stumbled over.
  { phrase: 'takes the place of', say: 'replaces' },
  { phrase: 'the present key', say: 'the current key' },
  { phrase: 'the present one', say: 'the current one' },
  { phrase: 'of an earlier kind', say: 'older' },
  { phrase: 'proved client', say: 'verified client' },
  { phrase: 'the proved', say: 'the verified' },
  { phrase: 'what was tried', say: 'what we tested' },
  { phrase: 'are believed', say: 'are trusted' },
  { phrase: 'must be told', say: 'must be set' },
  { phrase: 'has this very', say: 'has exactly this' },
  { phrase: 'gives back the hash', say: 'reveals the hash' },
  { phrase: 'those of all key stores', say: 'the same for all key stores' },
  { phrase: 'is given twice', say: 'is repeated' },

  // Sentences that a second reader stumbled over.
  { phrase: 'made-up', say: 'sample', allowedIn: ['docs/decisions/'] },
  { phrase: 'tell the operator', say: 'contact support, or: contact the operator' },
  { phrase: 'mailed', say: 'sent by email' },
  { phrase: 'by mail', say: 'by email' },
  { phrase: 'else was faster', say: 'else changed it first' },
  { phrase: 'limit at once', say: 'burst limit' },
  { phrase: 'include everyone', say: 'the entries that it cannot contain' },
  { phrase: 'every second place', say: 'every other turn' },
  { phrase: 'any rotation', say: 'Rotation: any', onlyIn: portal },
];
