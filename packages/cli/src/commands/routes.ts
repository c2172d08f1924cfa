import type { RouteReport, ShownRoute } from '@countersign/server/routes';
import type { OptionTable } from '../arguments/options.ts';
import { type Command, defineCommand } from '../command.ts';
import { CommandError } from '../exits.ts';
import { withRoutes } from '../registry/open-routes.ts';
import { fieldLines, tableLines } from '../terminal/layout.ts';
import { writeJson } from '../terminal/report.ts';

const options = {
  upstream: { type: 'string', placeholder: 'URL', help: 'The API to protect, as COUNTERSIGN_UPSTREAM.' },
  openapi: {
    type: 'string',
    placeholder: 'FILE',
    help: 'Its OpenAPI document, as COUNTERSIGN_OPENAPI.',
  },
  configuration: {
    type: 'string',
    placeholder: 'FILE',
    help: 'The configuration file, as COUNTERSIGN_CONFIGURATION_FILE.',
  },
} as const satisfies OptionTable;

const notes = [
  "These are the service's settings: its environment variables apply here too, and options override them.",
];

export const routesList: Command = defineCommand({
  name: 'routes list',
  summary: "Lists the protected API's routes: what is forwarded, and which permission it requires.",
  arguments: [],
  options,
  notes,
  examples: [
    {
      what: 'what does my OpenAPI document allow?',
      line: 'countersign routes list --upstream http://127.0.0.1:3000 --openapi openapi.yaml',
    },
  ],
  async execute({ values }, io) {
    return withRoutes(values, io, ({ readRouteReport }, environment) => {
      const report = readRouteReport(environment);
      if (values.json) writeJson(io, report);
      else {
        io.output.write(routeTable(report.routes));
        io.output.write(baseUrlTable(report.baseUrlProfiles));
        io.output.write('\nAnything else is rejected.\n');
      }
      return 'ok';
    });
  },
});

/** Says which profiles are accepted only if a route names some, and what is signed only if anything is. */
function routeTable(routes: readonly ShownRoute[]): string {
  const isAnySigned = routes.some(({ signsResponses }) => signsResponses);
  const isAnyLimited = routes.some(({ profiles }) => profiles !== undefined);
  const rows = routes.map((route) => [
    route.methods?.join(', ') ?? 'any',
    `${route.baseUrl ?? ''}${route.path}`,
    route.permission,
    route.upstream ?? '',
    route.mode,
    ...(isAnyLimited ? [route.profiles?.join(', ') ?? 'any'] : []),
    ...(isAnySigned ? [route.signsResponses ? 'signed' : 'unsigned'] : []),
  ]);
  const headings = [
    'METHODS',
    'PATH',
    'PERMISSION',
    'UPSTREAM',
    'MODE',
    ...(isAnyLimited ? ['PROFILES'] : []),
    ...(isAnySigned ? ['RESPONSES'] : []),
  ];
  return tableLines(headings, rows);
}

/** Says which profiles the base URLs accept, whatever the route, if some accept fewer than the service. */
function baseUrlTable(baseUrlProfiles: RouteReport['baseUrlProfiles']): string {
  const rows = Object.entries(baseUrlProfiles).map(([baseUrl, profiles]) => [baseUrl, profiles.join(', ')]);
  return rows.length === 0 ? '' : `\n${tableLines(['BASE URL', 'PROFILES'], rows)}`;
}

export const routesCheck: Command = defineCommand({
  name: 'routes check',
  summary:
    "Checks the protected API's configuration: reports all mistakes at once, and what no route enforces.",
  arguments: [],
  options: {
    ...options,
    strict: {
      type: 'boolean',
      help: 'Treat everything in the OpenAPI document that no route enforces as a mistake.',
    },
  },
  notes,
  examples: [
    {
      what: 'before a deployment',
      line: 'countersign routes check --configuration countersign.json --strict',
    },
  ],
  async execute({ values }, io) {
    return withRoutes(values, io, ({ readRouteReport, warningLine }, environment) => {
      const { routes, upstreams, warnings } = readRouteReport(environment);
      const lines = warnings.map(warningLine);
      if (values.strict && lines.length > 0) {
        const message = `The document says more than its routes enforce, and --strict allows no warning:\n  - ${lines.join('\n  - ')}`;
        throw new CommandError('local', 'configuration_invalid', message);
      }
      if (values.json) writeJson(io, { routes: routes.length, upstreams: upstreams.length, warnings });
      else {
        const counts = [counted(routes.length, 'route'), counted(upstreams.length, 'upstream')];
        if (lines.length > 0) counts.push(counted(lines.length, 'warning'));
        io.output.write([...lines, `The configuration is valid: ${counts.join(', ')}.`, ''].join('\n'));
      }
      return 'ok';
    });
  },
});

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export const routesTest: Command = defineCommand({
  name: 'routes test',
  summary:
    'Shows what the routes would do with a request: where it goes, or why it is rejected. Sends nothing.',
  arguments: [
    { name: 'METHOD', help: 'The method, such as GET.' },
    { name: 'URL', help: 'The URL as clients call it, or a path of the API.' },
  ],
  options,
  notes,
  examples: [
    {
      what: 'which permission does it need?',
      line: 'countersign routes test POST /invoices/7 --upstream http://127.0.0.1:3000 --openapi openapi.yaml',
    },
  ],
  async execute({ values, positionals: [method = '', url = ''] }, io) {
    return withRoutes(values, io, ({ testRoute, routeName }, environment) => {
      const found = testRoute(environment, method.toUpperCase(), url);
      if (values.json) writeJson(io, found);
      else if (found.outcome === 'refused') io.output.write(`refused  ${found.code}: ${found.reason}\n`);
      else {
        const { route, permission, addresses, target } = found;
        io.output.write('forwarded\n');
        io.output.write(
          fieldLines([
            ['route', routeName(route)],
            ['permission', permission],
            ['upstream', route.upstream && `${route.upstream} (${addresses.join(', ')})`],
            ['target', target],
            ['mode', route.mode],
            ['profiles', route.profiles?.join(', ')],
            ['responses', route.signsResponses ? 'signed' : undefined],
          ]),
        );
      }
      return found.outcome === 'refused' ? 'refused' : 'ok';
    });
  },
});
