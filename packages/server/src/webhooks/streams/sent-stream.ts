import type { StreamSource, StreamStart } from '../../registry/stream-records.ts';

/** A stream of the operator's, as its settings describe it. */
export interface SentStream {
  /** Its cursor has this name: under another one it is another stream. */
  readonly name: string;
  readonly sources: readonly StreamSource[];
  readonly to: {
    readonly protocol: 'ndjson' | 'otlp' | 'syslog';
    /** `https:` for TLS, else `http:`, whatever is spoken over the connection. */
    readonly url: URL;
  };
  readonly from: StreamStart;
  /** How a record is written: as the API shows it, or in the Elastic Common Schema. */
  readonly format: 'countersign' | 'ecs';
  /** It stalls when nothing was acknowledged for so long. */
  readonly stallSeconds: number;
  /** The operator's number in the IANA registry of private enterprises, for structured data of syslog. */
  readonly enterpriseNumber: number | undefined;
}
