// Checks several programs with one TypeScript, whose folder is the first argument, and prints their mistakes as tsc does. The
// programs are on standard input: a list of { files, options }, with options as in a tsconfig.json. Each source file, such as
// the compiler's own library, is read once for all programs that would read it in the same way.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const ts = createRequire(import.meta.url)(process.argv[2]);
const sources = new Map();
let failed = 0;
for (const { files, options: compilerOptions } of JSON.parse(readFileSync(0, 'utf8'))) {
  const { fileNames, options, errors } = ts.parseJsonConfigFileContent(
    { files, compilerOptions },
    ts.sys,
    process.cwd(),
  );
  const found = [
    ...errors,
    ...ts.getPreEmitDiagnostics(ts.createProgram(fileNames, options, hostFor(options))),
  ];
  if (found.length === 0) continue;
  failed += 1;
  console.log(JSON.stringify({ files, ...compilerOptions }));
  console.log(ts.formatDiagnostics(found, hostFor(options)));
}
process.exitCode = failed === 0 ? 0 : 1;

function hostFor(options) {
  const host = ts.createCompilerHost(options);
  const { module, moduleResolution, target } = options;
  const getSourceFile = (name, how, ...others) => {
    const key = JSON.stringify([
      name,
      how.languageVersion,
      how.impliedNodeFormat,
      module,
      moduleResolution,
      target,
    ]);
    if (!sources.has(key)) sources.set(key, host.getSourceFile(name, how, ...others));
    return sources.get(key);
  };
  return { ...host, getSourceFile };
}
