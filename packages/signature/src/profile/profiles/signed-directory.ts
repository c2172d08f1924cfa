import type { SignatureFormat } from '../profile.ts';

/** The format of a key's signature of the directory that publishes it, and its life. */
export interface DirectoryFormat extends SignatureFormat<'ed25519'> {
  readonly time: {
    /** From `created` to `expires`. */
    readonly lifeSeconds: number;
  };
}

/**
 * What each key signs of a directory of keys: that the server has the private key, and for which host these keys are
 * (draft-meunier-webbotauth-httpsig-directory, and the domain binding of draft-meunier-webbotauth-httpsig-protocol). The
 * label is the start of those of several keys.
 */
export const signedDirectory: DirectoryFormat = {
  id: 'signed-directory',
  select: { label: 'binding', tag: 'http-message-signatures-directory' },
  components: {
    required: [
      { identifier: '"@authority";req', when: 'always' },
      { identifier: 'content-digest', when: 'body' },
    ],
  },
  parameters: {
    created: 'required',
    expires: 'required',
    keyid: 'required',
    alg: 'required',
    tag: 'required',
  },
  algorithms: ['ed25519'],
  // Caches keep the directory for a minute.
  time: { lifeSeconds: 300 },
};
