import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadConfiguration, settings } from '@countersign/server';
import { run as runCommand } from '../../packages/cli/test/run.ts';
import { publishedPackages } from '../../tools/build/published-packages.ts';

/* Compares the deployment files with the code. Starts no containers. */

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: { readonly default: { readonly ipam: { readonly config: { subnet: string }[] } } };
}

interface Job {
  readonly spec: {
    readonly concurrencyPolicy: string;
    readonly jobTemplate: {
      readonly spec: {
        readonly template: { readonly spec: { readonly containers: readonly [JobContainer] } };
      };
    };
  };
}

interface JobContainer {
  readonly args: readonly string[];
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
}

interface ComposeService {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: { readonly default: { readonly ipv4_address: string } };
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
}

const folder = new URL('../../deploy/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const compose = parseYaml(read('compose.yaml')) as Compose;
const dockerfile = read('Dockerfile');
const unit = read('countersign.service');

describe('the files for an installation', () => {
  it('name no setting that does not exist', () => {
    const known = new Set<string>(Object.values(settings).map(({ environment }) => environment));
    for (const name of readdirSync(folder)) {
      for (const [word] of read(name).matchAll(/\bCOUNTERSIGN_[A-Z_]+\b/g))
        assert.ok(known.has(word), `${name}: ${word}`);
    }
  });

  it('start the program that the package has', () => {
    const server = publishedPackages.find(({ folder: source }) => source === 'packages/server');
    const bin = server?.as?.bin['countersign-server']?.slice('./'.length);
    const path = `/opt/countersign/node_modules/countersign-server/${bin}`;
    assert.ok(existsSync(new URL(`../../packages/server/${bin}`, import.meta.url)));
    assert.match(unit, new RegExp(`^ExecStart=\\S+/node ${path}$`, 'm'));
    assert.ok(dockerfile.includes(`CMD ["node", "${path}"]`));
  });
});

describe('compose.yaml', () => {
  it('has two equal nodes whose settings the service accepts', () => {
    const { 'node-1': first, 'node-2': second } = compose.services;
    assert.deepEqual(first, second);
    const configuration = loadConfiguration({ ...environmentOfImage(), ...filled(first?.environment) });
    const { nodes, guard, host, metricsPort } = configuration;
    assert.deepEqual(
      { nodes, guard, host, metricsPort },
      { nodes: 2, guard: 'redis', host: '0.0.0.0', metricsPort: 9421 },
    );
    // The URLs name services of this file.
    for (const url of [configuration.databaseUrl, configuration.redisUrl])
      assert.ok(Object.hasOwn(compose.services, new URL(url?.reveal() ?? '').hostname));
  });

  it('trusts the balancer, and nobody else, to say who calls', () => {
    const environment = filled(compose.services['node-1']?.environment);
    const address = compose.services['balancer']?.networks?.default.ipv4_address ?? '';
    assert.equal(environment['COUNTERSIGN_TRUSTED_PROXIES'], address);
    const [network] = compose.networks.default.ipam.config;
    assert.equal(network?.subnet.split('.', 3).join('.'), address.split('.', 3).join('.'));
    const balancer = read('haproxy.cfg');
    const settled = [
      'retry-on conn-failure',
      'http-request del-header X-Forwarded-For',
      'option forwardfor',
      'httpchk GET /ready',
    ];
    for (const line of settled) assert.ok(balancer.includes(line), line);
    const file = / ssl crt (\S+) /.exec(balancer)?.[1];
    assert.ok(compose.services['balancer']?.volumes?.includes(`./tls.pem:${file}:ro`));
    const servers = [...balancer.matchAll(/^ {2}server \S+ (\S+):8421$/gm)].map(([, name]) => name);
    assert.deepEqual(servers, ['node-1', 'node-2']);
  });

  it('keeps what the guard remembers, as the service asks of its store', () => {
    const command = compose.services['guard']?.command?.join(' ') ?? '';
    assert.match(command, /--appendonly yes --maxmemory-policy noeviction/);
  });

  it('names each image by version and digest, and holds no password', () => {
    for (const { image } of Object.values(compose.services)) {
      if (image !== undefined) assert.match(image, /:\d+\.\d+\.?\d*-[a-z]+[\d.]*@sha256:[0-9a-f]{64}$/);
    }
    for (const service of Object.values(compose.services)) {
      for (const [name, value] of Object.entries(service.environment ?? {})) {
        if (/PASSWORD|URL$/.test(name) && name !== 'COUNTERSIGN_PUBLIC_BASE_URLS')
          assert.match(value, /\$\{[A-Z_]+:\?\}/, name);
      }
    }
  });
});

describe('what is packed for an installation', () => {
  const manifests = publishedPackages.map(({ folder: source, as }) => {
    const text = readFileSync(new URL(`../../${source}/package.json`, import.meta.url), 'utf8');
    const { name, dependencies = {} } = JSON.parse(text) as {
      readonly name: string;
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    return { source, name, publishedName: as?.name ?? name, needed: Object.keys(dependencies) };
  });
  for (const file of ['deploy/Dockerfile', 'docs/operations/start.md', 'packages/cli/README.md'])
    it(`includes each of our packages that another one needs, in ${file}`, () => {
      const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      const line = /^.*npm pack .*$/m.exec(text)?.[0] ?? '';
      const packed = manifests.filter(({ source }) => line.includes(`${source}/dist`));
      assert.ok(packed.length >= 4, line);
      const names = new Set(packed.map(({ name }) => name));
      for (const { publishedName, needed } of packed)
        for (const name of needed)
          if (manifests.some((each) => each.name === name))
            assert.ok(names.has(name), `${publishedName} needs ${name}`);
    });
});

describe('the Dockerfile', () => {
  it('runs as a user without rights, on a Node that the package allows', () => {
    const stages = dockerfile.split(/^FROM /m).slice(1);
    assert.equal(stages.length, 2);
    for (const stage of stages) assert.match(stage, /^node:2[4-9]\.\d+\.\d+-/);
    assert.match(stages[1]!, /^USER node$/m);
    // Files copied from the machine stay in the first stage.
    assert.doesNotMatch(stages[1]!, /^COPY (?!--from=build )/m);
  });

  it('starts from images by their digest, one for all stages, and installs nothing but what the lockfile has', () => {
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
    assert.equal(new Set(images).size, 1);
    for (const image of images) assert.match(image, /@sha256:[0-9a-f]{64}$/);
    const installs = [...dockerfile.matchAll(/npm (?:install|ci|i)\b[^&\n]*/g)].map(([line]) => line);
    assert.equal(installs.length, 1);
    assert.match(installs[0]!, / --offline --ignore-scripts /);
  });

  it('has settings that the service accepts, and takes no data of this machine along', () => {
    assert.equal(loadConfiguration(environmentOfImage()).dataFolder, '/data');
    const ignored = read('Dockerfile.dockerignore').split('\n');
    for (const name of ['data', '.git', '**/node_modules']) assert.ok(ignored.includes(name), name);
  });
});

describe('the files that rotate a key', () => {
  const [rotation, timer, job] = [
    'countersign-rotate@.service',
    'countersign-rotate@.timer',
    'rotate-cronjob.yaml',
  ].map(read) as [string, string, string];

  it('run a command that the command line can read', async () => {
    const line = /^ExecStart=\S+\/countersign (.*)$/m.exec(rotation)?.[1] ?? '';
    const { args } = (parseYaml(job) as Job).spec.jobTemplate.spec.template.spec.containers[0];
    for (const argv of [line.split(' '), args.slice(1)]) {
      assert.equal(argv[0], 'rotate');
      // With --help, a command reads all its arguments and does nothing.
      assert.equal((await runCommand([...argv, '--help'], { folder: tmpdir() })).code, 0, argv.join(' '));
    }
    assert.match(timer, /^OnCalendar=daily$/m);
  });

  it('may write to the folder of the key, and to little else', () => {
    for (const setting of ['ProtectSystem=strict', 'ReadWritePaths=/etc/countersign/clients/%i', 'User=%i'])
      assert.ok(rotation.split('\n').includes(setting), setting);
    const { securityContext } = (parseYaml(job) as Job).spec.jobTemplate.spec.template.spec.containers[0];
    assert.equal(securityContext.readOnlyRootFilesystem, true);
    assert.equal((parseYaml(job) as Job).spec.concurrencyPolicy, 'Forbid');
  });

  it(
    'are units that systemd accepts',
    {
      skip: systemdSkip(),
    },
    (t) => {
      const units = mkdtempSync(join(tmpdir(), 'countersign-units-'));
      t.after(() => rmSync(units, { recursive: true }));
      writeFileSync(join(units, 'countersign-rotate@.timer'), timer);
      // The program and the user do not exist on this machine.
      const here = rotation.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true');
      writeFileSync(join(units, 'countersign-rotate@.service'), here);
      const names = ['service', 'timer'].map((kind) => join(units, `countersign-rotate@shop.${kind}`));
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...names], { encoding: 'utf8' });
      assert.equal(
        stderr
          .split('\n')
          .filter((line) => line.includes('countersign-rotate'))
          .join('\n'),
        '',
      );
    },
  );
});

describe('the systemd unit', () => {
  it('gives the service no more than it needs, and starts it again unless its configuration is wrong', () => {
    for (const line of [
      'DynamicUser=yes',
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'CapabilityBoundingSet=',
      'StateDirectory=countersign',
      'StateDirectoryMode=0700',
      'CacheDirectoryMode=0700',
      'Restart=always',
      'StartLimitIntervalSec=0',
      'RestartPreventExitStatus=2',
    ]) {
      assert.ok(unit.split('\n').includes(line), line);
    }
    const { stopSecondsMax, stopDelaySeconds } = loadConfiguration({
      COUNTERSIGN_NODES: '2',
      COUNTERSIGN_DATABASE_URL: 'postgresql://countersign@database/countersign',
    });
    assert.equal(stopDelaySeconds, 5);
    for (const limit of [
      /^TimeoutStopSec=(\d+)$/m.exec(unit),
      /stop_grace_period: (\d+)s/.exec(read('compose.yaml')),
    ])
      assert.ok(Number(limit?.[1]) > stopDelaySeconds + stopSecondsMax + 5);
  });

  it('is one that systemd understands', { skip: systemdSkip() }, () => {
    const path = new URL('countersign.service', folder).pathname;
    // Whether Node is at the path that the unit expects depends on the machine.
    const { stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
    const complaints = stderr.split('\n').filter((line) => line.includes('countersign.service'));
    assert.deepEqual(
      complaints.filter((line) => !/is not executable/.test(line)),
      [],
    );
  });
});

function systemdSkip(): string | false {
  const { error } = spawnSync('systemd-analyze', ['--version']);
  return error === undefined ? false : 'this machine has no systemd-analyze';
}

/** The image's environment, settings only. */
function environmentOfImage(): Record<string, string> {
  return Object.fromEntries(
    [...dockerfile.matchAll(/(COUNTERSIGN_[A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
  );
}

/** Substitutes variables as compose does. */
function filled(environment: Readonly<Record<string, string>> = {}): Record<string, string> {
  const fill = (value: string): string =>
    value.replace(
      /\$\{[A-Z_]+:(?:\?|-([^}]*))\}/g,
      (_whole, fallback: string | undefined) => fallback ?? 'word',
    );
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]));
}

/** The YAML parser of a development dependency. */
function parseYaml(text: string): unknown {
  const require = createRequire(import.meta.resolve('knip'));
  const { parse } = require('yaml') as { parse: (text: string, options: { merge: boolean }) => unknown };
  return parse(text, { merge: true });
}
