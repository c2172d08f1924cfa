import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';

// Loaded before the test files of the pure tier. A test that starts a program there belongs to the other
// tier, and fails with that advice instead of passing on the machines that happen to have the program. Every
// checkout has Node, its packages, git and a shell.
const allowed = (program: string): boolean =>
  program === process.execPath ||
  /^(?:git|(?:\/bin\/)?sh)$/.test(program) ||
  program.includes('/node_modules/');
const starting = ['exec', 'execFile', 'execFileSync', 'execSync', 'spawn', 'spawnSync'] as const;
type Start = (program: string, ...rest: unknown[]) => unknown;

for (const name of starting) {
  const start = childProcess[name] as Start & { readonly [promisify.custom]?: Start };
  const guarded = Object.assign(guard(start), {
    ...(start[promisify.custom] && { [promisify.custom]: guard(start[promisify.custom]) }),
  });
  Object.assign(childProcess, { [name]: guarded });
}
syncBuiltinESMExports();

function guard(start: Start): Start {
  return (program, ...rest) => {
    if (allowed(program)) return start(program, ...rest);
    throw new Error(
      `A test of the pure tier starts ${program}. List its file in tools/suites/program-suites.ts, or the module that ` +
        'starts programs for it in tools/suites/tiers.ts.',
    );
  };
}
