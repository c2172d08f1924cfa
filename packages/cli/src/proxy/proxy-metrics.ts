/** The numbers of a proxy, in the text format of Prometheus. */
export interface ProxyMetrics {
  /**
   * Counts a finished request. `result` is the status of the target's response, or the code of a rejection by
   * the proxy.
   */
  count(result: string, seconds: number): void;
  inFlight: number;
  text(now: ProxyNow): string;
}

/** Values that are read on each request for the metrics. */
export interface ProxyNow {
  readonly bufferedBytes: number;
  readonly keyChanges: number;
  readonly clockAheadSeconds: number;
}

/** Each name with its type and help. */
export const proxyMetrics = {
  countersign_proxy_requests_total: [
    'counter',
    "Answered requests, by the target's status or the proxy's code.",
  ],
  countersign_proxy_request_seconds: [
    'histogram',
    "Time from the caller's request to the end of the response.",
  ],
  countersign_proxy_requests_in_flight: ['gauge', 'Requests that are not answered yet.'],
  countersign_proxy_buffered_bytes: ['gauge', 'Bytes of bodies that are buffered.'],
  countersign_proxy_key_changes_total: ['counter', 'How often the key file has brought another key.'],
  countersign_proxy_clock_ahead_seconds: [
    'gauge',
    "How far the service's clock is ahead, as far as it was corrected.",
  ],
} as const satisfies Readonly<Record<string, readonly [type: string, help: string]>>;

type MetricName = keyof typeof proxyMetrics;

const bucketSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createProxyMetrics(): ProxyMetrics {
  const results = new Map<string, number>();
  const buckets = bucketSeconds.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    inFlight: 0,
    count(result, seconds) {
      results.set(result, (results.get(result) ?? 0) + 1);
      for (const [index, limit] of bucketSeconds.entries()) if (seconds <= limit) buckets[index]! += 1;
      count += 1;
      sum += seconds;
    },
    text({ bufferedBytes, keyChanges, clockAheadSeconds }) {
      const samples: Readonly<Record<MetricName, readonly string[]>> = {
        countersign_proxy_requests_total: [...results].map(
          ([result, value]) => `{result="${result}"} ${value}`,
        ),
        countersign_proxy_request_seconds: [
          ...bucketSeconds.map((limit, index) => `_bucket{le="${limit}"} ${buckets[index]}`),
          `_bucket{le="+Inf"} ${count}`,
          `_sum ${sum}`,
          `_count ${count}`,
        ],
        countersign_proxy_requests_in_flight: [` ${this.inFlight}`],
        countersign_proxy_buffered_bytes: [` ${bufferedBytes}`],
        countersign_proxy_key_changes_total: [` ${keyChanges}`],
        countersign_proxy_clock_ahead_seconds: [` ${clockAheadSeconds}`],
      };
      return Object.entries(proxyMetrics)
        .map(([name, [type, help]]) => {
          const lines = samples[name as MetricName].map((sample) => `${name}${sample}\n`).join('');
          return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines}`;
        })
        .join('');
    },
  };
}
