// Rewrites what the launcher of the command line answers to --help: `npm run docs:help`.
import { writeFileSync } from 'node:fs';
import { commandHelp, commandHelpFile } from './command-help.ts';

writeFileSync(commandHelpFile, commandHelp());
