import type { KeyObject } from 'node:crypto';
import type { PrivateKey, SharedOptions, SignerIdentity } from '../signing/options.ts';

/** Any private key of `PrivateKey`, or a `KeyObject`. */
export type NodePrivateKey = PrivateKey | KeyObject;

/** Options that only Node has. */
interface NodeOnlyOptions extends SharedOptions {
  /**
   * A folder in which processes with the same key record the seconds that they have used, so that equal
   * requests from several processes stay distinct. Created if it does not exist. Default: none, for a single
   * process.
   */
  readonly sharedFolder?: string | undefined;
}

/** Options of a signer on Node: with a private key, or a file that contains it. */
export type NodeSignerOptions = NodeOnlyOptions &
  SignerIdentity &
  (
    | { readonly privateKey: NodePrivateKey; readonly privateKeyFile?: undefined }
    | {
        /** A file with the key. A change takes effect within a second. */
        readonly privateKeyFile: string;
        readonly privateKey?: undefined;
      }
  );
