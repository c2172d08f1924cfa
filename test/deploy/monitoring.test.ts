import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { problems } from '@countersign/contract';
import { idleMetrics } from '@countersign/testing/idle-metrics';
import { type RunningService, runService } from '@countersign/testing/running-service';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

interface RuleTests {
  readonly tests: readonly {
    readonly alert_rule_test: readonly {
      readonly alertname: string;
      readonly exp_alerts: readonly unknown[];
    }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly type: string;
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  }[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

const folder = new URL('../../deploy/', import.meta.url);
const fileOf = (name: string): string => fileURLToPath(new URL(name, folder));
const parseYaml = (name: string): unknown => {
  const { parse } = createRequire(import.meta.resolve('knip'))('yaml') as {
    parse: (text: string) => unknown;
  };
  return parse(readFileSync(fileOf(name), 'utf8'));
};

const { groups } = parseYaml('prometheus-alerts.yaml') as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const ruleTests = parseYaml('prometheus-alerts-test.yaml') as RuleTests;
const dashboard = JSON.parse(readFileSync(fileOf('grafana-dashboard.json'), 'utf8')) as Dashboard;
const dashboardQueries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

const promtoolIsMissing =
  spawnSync('promtool', ['--version']).status === 0 ? false : 'promtool is not installed';

function promtool(args: readonly string[], input?: string): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, {
    encoding: 'utf8',
    ...(input !== undefined && { input }),
  });
  assert.equal(status, 0, `promtool ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout + stderr;
}

describe('the alert rules', () => {
  it('are rules that Prometheus understands', { skip: promtoolIsMissing }, () => {
    assert.match(
      promtool(['check', 'rules', fileOf('prometheus-alerts.yaml')]),
      new RegExp(`SUCCESS: ${rules.length} rules`),
    );
  });

  it('come and stay away as each case says', { skip: promtoolIsMissing }, () => {
    promtool(['test', 'rules', fileOf('prometheus-alerts-test.yaml')]);
  });

  it('each have a case in which they come, and one in which they stay away', () => {
    const cases = ruleTests.tests.flatMap((test) => test.alert_rule_test);
    for (const { alert } of rules) {
      const own = cases.filter(({ alertname }) => alertname === alert);
      assert.ok(
        own.some(({ exp_alerts: alerts }) => alerts.length > 0),
        `${alert} never comes`,
      );
      assert.ok(
        own.some(({ exp_alerts: alerts }) => alerts.length === 0),
        `${alert} never stays away`,
      );
    }
  });

  it('say how bad it is and what to do', () => {
    for (const { alert, labels, annotations } of rules) {
      assert.ok(['critical', 'warning', 'info'].includes(labels.severity), alert);
      assert.ok(annotations.summary !== '' && annotations.description !== '', alert);
    }
  });
});

describe('the dashboard', () => {
  it('lays its panels side by side', () => {
    for (const [index, { gridPos: one, title }] of dashboard.panels.entries()) {
      assert.ok(one.x + one.w <= 24, title);
      for (const { gridPos: other } of dashboard.panels.slice(index + 1)) {
        const isApart =
          one.x + one.w <= other.x ||
          other.x + other.w <= one.x ||
          one.y + one.h <= other.y ||
          other.y + other.h <= one.y;
        assert.ok(isApart, title);
      }
    }
  });

  it('has queries that Prometheus understands', { skip: promtoolIsMissing }, (t) => {
    // A rule for each query, with the values that Grafana substitutes.
    const records = dashboardQueries.map((expr, index) => ({
      record: `query_${index}`,
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
    }));
    const file = join(mkdtempSync(join(tmpdir(), 'countersign-test-')), 'rules.json');
    t.after(() => rmSync(dirname(file), { recursive: true }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: records }] }));
    assert.match(promtool(['check', 'rules', file]), new RegExp(`SUCCESS: ${records.length} rules`));
  });
});

describe('the metrics', () => {
  let running: RunningService;
  before(async () => {
    running = await runService({
      COUNTERSIGN_METRICS_PORT: '0',
      COUNTERSIGN_UPSTREAM: 'http://127.0.0.1:1',
    });
  });
  after(() => running.close());

  it('have names, types and texts as Prometheus asks for', { skip: promtoolIsMissing }, async () => {
    await running.send({ method: 'GET', url: '/v1/whoami' });
    const answer = await fetch(`${running.service.metricsAddress}/metrics`);
    assert.equal(promtool(['check', 'metrics'], await answer.text()), '');
  });

  it('are what the rules and the dashboard ask for, and have the codes that they name', async () => {
    const served = await servedNames();
    for (const query of [...rules.map(({ expr }) => expr), ...dashboardQueries]) {
      const names = [...query.matchAll(/\b(?:countersign|nodejs|process)_\w+/g)].map(([name]) => name);
      for (const name of names) assert.ok(served.has(name), `${name} in ${query}`);
      for (const [, codes = ''] of query.matchAll(/code!?=~?"([^"]*)"/g)) {
        for (const code of codes.split('|')) {
          const isKnown = [...Object.keys(problems), 'accepted', 'page', 'connection_closed'].some((known) =>
            new RegExp(`^${code}$`).test(known),
          );
          assert.ok(isKnown, `${code} in ${query}`);
        }
      }
    }
  });
});

/** The names of all series, on a database with a pool. */
async function servedNames(): Promise<Set<string>> {
  const names = new Set<string>();
  for (const [, name = '', type] of (await idleMetrics()).matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    names.add(name);
    if (type !== 'histogram') continue;
    for (const suffix of ['bucket', 'sum', 'count']) names.add(`${name}_${suffix}`);
  }
  return names;
}
